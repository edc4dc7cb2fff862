#pragma once

#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include <memory>
#include <sstream>
#include <string>

#include "common/log.hpp"

namespace rowrunner::testing {

/// What a worker logs, to be read when it has stopped.
class log_lines {
 public:
  std::shared_ptr<logger> target() {
    auto sink = std::make_shared<spdlog::sinks::ostream_sink_mt>(text_);
    return std::make_shared<logger>(std::make_shared<spdlog::logger>("test", std::move(sink)),
                                    log_level::info, "", log_format::text);
  }

  std::string text() const { return text_.str(); }
  /// How many lines hold these words.
  int count(const std::string& words) const {
    int n = 0;
    std::istringstream lines(text_.str());
    for (std::string line; std::getline(lines, line);) n += line.find(words) != line.npos ? 1 : 0;
    return n;
  }

 private:
  std::ostringstream text_;
};

}  // namespace rowrunner::testing
