#include "program/setting.hpp"

#include <array>

namespace rowrunner {

std::string number_text(double value) {
  std::array<char, 64> text{};
  const auto written = std::to_chars(text.data(), text.data() + text.size(), value);
  return {text.data(), written.ptr};
}

std::chrono::milliseconds vacuum_blocker_alarm_setting(const std::optional<double>& flag,
                                                       const environment& env) {
  constexpr number_setting<double> alarm{"--vacuum-blocker-alarm", "VACUUM_BLOCKER_ALARM", 0,
                                         31'536'000};
  return seconds(given(alarm, flag, env).value_or(300));
}

}  // namespace rowrunner
