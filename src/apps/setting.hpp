#pragma once

#include <charconv>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "common/environment.hpp"
#include "common/errors.hpp"

namespace rowrunner {

template <typename Number>
Number parse_number(const std::string& what, const std::string& text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) {
    throw usage_error(what + " must be a number, not '" + text + "'");
  }
  return value;
}

/// The flag, then the environment, then the default.
template <typename Number>
Number setting(const std::optional<Number>& flag, const environment& env, const char* variable,
               Number otherwise) {
  if (flag) return *flag;
  if (const auto text = env.get(variable)) return parse_number<Number>(variable, *text);
  return otherwise;
}

inline std::chrono::milliseconds seconds(double value) {
  return std::chrono::milliseconds{static_cast<std::int64_t>(value * 1000)};
}

/// The same for stats and for the worker: flag, then HORIZON_ALARM, then five minutes.
std::chrono::milliseconds horizon_alarm_setting(const std::optional<double>& flag,
                                                const environment& env);

}  // namespace rowrunner
