#pragma once

#include <initializer_list>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rowrunner {

class logger;

enum class log_level { debug, info, warn, error, off };

/// A named value of an event. Names are lower case: kind, job, lease, attempt, duration_ms.
struct log_field {
  std::string_view name;
  nlohmann::json value;
};
using log_fields = std::initializer_list<log_field>;

/// The worker's log, for handlers: services::log gives one, which adds kind, job and attempt to
/// every event if it is asked for a job. It may be copied, and used from any thread.
class event_log {
 public:
  /// `own` stand in every event.
  explicit event_log(std::shared_ptr<const logger> out, std::vector<log_field> own = {})
      : out_(std::move(out)), own_(std::move(own)) {}

  void event(log_level level, std::string_view message, log_fields fields = {}) const;
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

 private:
  std::shared_ptr<const logger> out_;
  std::vector<log_field> own_;
};

}  // namespace rowrunner
