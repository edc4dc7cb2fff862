#pragma once

#include <memory>
#include <optional>
#include <rowrunner/log.hpp>
#include <span>
#include <string>
#include <string_view>

namespace spdlog {
class logger;
}

namespace rowrunner {

/// The level of that name, in any case; warning and critical count as warn and error. Nothing for
/// any other word.
std::optional<log_level> parse_log_level(std::string_view name);

enum class log_format { text, json };

/// Where events go: stderr, as readable lines on a terminal and as JSON lines otherwise. Made once
/// in main and passed down; may be used from any thread.
class logger {
 public:
  /// `worker` stands in every event if it is not empty.
  explicit logger(log_level level, std::string worker = {});
  logger(log_level level, std::string worker, log_format format);

  /// For tests: the same events into a sink of one's own.
  logger(std::shared_ptr<spdlog::logger> out, log_level level, std::string worker,
         log_format format);

  bool enabled(log_level level) const noexcept { return level >= level_ && level < log_level::off; }

  void event(log_level level, std::string_view message, std::span<const log_field> fields) const;
  void event(log_level level, std::string_view message, log_fields fields = {}) const {
    event(level, message, std::span(fields.begin(), fields.size()));
  }
  void debug(std::string_view message, log_fields fields = {}) const {
    event(log_level::debug, message, fields);
  }
  void info(std::string_view message, log_fields fields = {}) const {
    event(log_level::info, message, fields);
  }
  void warn(std::string_view message, log_fields fields = {}) const {
    event(log_level::warn, message, fields);
  }
  void error(std::string_view message, log_fields fields = {}) const {
    event(log_level::error, message, fields);
  }

  const std::string& worker() const noexcept { return worker_; }

 private:
  std::string as_text(log_level level, std::string_view message,
                      std::span<const log_field> fields) const;
  std::string as_json(log_level level, std::string_view message,
                      std::span<const log_field> fields) const;

  const log_level level_;
  const std::string worker_;
  const log_format format_;
  const std::shared_ptr<spdlog::logger> out_;
};

}  // namespace rowrunner
