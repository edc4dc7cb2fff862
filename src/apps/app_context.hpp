#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "common/environment.hpp"
#include "common/log.hpp"

namespace rowrunner {

/// What every command gets: the settings that are common to all. A command's callback sets
/// `action`, and main runs it when the whole command line has been read.
struct app_context {
  environment env;
  std::optional<std::string> database_url_flag;
  std::optional<std::string> log_level_flag;
  /// Output for scripts instead of people.
  bool json = false;
  std::function<void()> action;

  /// Flag, then DATABASE_URL. Throws usage_error that says what to set if there is neither.
  std::string database_url() const;

  /// At the level of flag, then LOG_LEVEL, then info; throws usage_error for an unknown word.
  std::shared_ptr<logger> make_logger(std::string worker = {}) const;
};

}  // namespace rowrunner
