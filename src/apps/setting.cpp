#include "apps/setting.hpp"

namespace rowrunner {

std::chrono::milliseconds horizon_alarm_setting(const std::optional<double>& flag,
                                                const environment& env) {
  const double value = setting(flag, env, "HORIZON_ALARM", 300.0);
  if (!(value >= 0 && value <= 1e9)) {
    throw usage_error("the horizon alarm is a number of seconds, and not negative");
  }
  return seconds(value);
}

}  // namespace rowrunner
