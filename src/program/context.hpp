#pragma once

#include <memory>
#include <optional>
#include <string>

#include "common/environment.hpp"
#include "common/log.hpp"

namespace CLI {
class App;
}

namespace rowrunner {

/// The settings that all programs have in common.
struct program_context {
  environment env;
  std::optional<std::string> database_url_flag;
  std::optional<std::string> log_level_flag;

  /// Adds --database-url and --log-level. The context must outlive the app.
  void add_flags(CLI::App& app);

  /// Flag, then DATABASE_URL. Throws usage_error that says what to set if there is neither.
  std::string database_url() const;

  /// At the level of flag, then LOG_LEVEL, then info; throws usage_error for an unknown word.
  std::shared_ptr<logger> make_logger(std::string worker = {}) const;
};

}  // namespace rowrunner
