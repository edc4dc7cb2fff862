#pragma once

#include <charconv>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "common/environment.hpp"
#include "common/errors.hpp"
#include "common/text.hpp"

namespace rowrunner {

/// A number that is given by a flag or by a variable, within limits.
template <typename Number>
struct number_setting {
  const char* flag;
  const char* variable;
  Number least;
  Number most;
};

/// "3600", "1.5": as people write it, without a fraction that is nothing.
std::string number_text(double value);

template <typename Number>
Number check_number(const std::string& what, Number value, Number least, Number most) {
  // Written so that NaN is refused too.
  if (value >= least && value <= most) return value;
  throw usage_error(what + " must be from " + number_text(static_cast<double>(least)) + " to " +
                    number_text(static_cast<double>(most)) + ", not " +
                    number_text(static_cast<double>(value)));
}

template <typename Number>
Number parse_number(const std::string& what, const std::string& text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range) {
    throw usage_error(what + " is out of range: " + printable(text, 40));
  }
  if (error != std::errc{} || end != text.data() + text.size()) {
    throw usage_error(what + " must be a number, not '" + printable(text, 40) + "'");
  }
  return value;
}

/// The flag, then the environment; nothing if neither is set.
template <typename Number>
std::optional<Number> given(const number_setting<Number>& setting,
                            const std::optional<Number>& flag, const environment& env) {
  if (flag) return check_number(setting.flag, *flag, setting.least, setting.most);
  const auto text = env.get(setting.variable);
  if (!text) return std::nullopt;
  return check_number(setting.variable, parse_number<Number>(setting.variable, *text),
                      setting.least, setting.most);
}

inline std::chrono::milliseconds seconds(double value) {
  return std::chrono::milliseconds{static_cast<std::int64_t>(value * 1000)};
}

/// The same for stats and for the worker: flag, then VACUUM_BLOCKER_ALARM, then five minutes.
std::chrono::milliseconds vacuum_blocker_alarm_setting(const std::optional<double>& flag,
                                                       const environment& env);

}  // namespace rowrunner
