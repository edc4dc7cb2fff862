#include "workloads/ocr_relay/settings.hpp"

#include "program/setting.hpp"

namespace rowrunner::ocr_relay {

std::optional<std::string> relay_token(const environment& env) { return env.get("RELAY_TOKEN"); }

std::chrono::milliseconds summary_wait(const environment& env) {
  constexpr number_setting<double> wait{"", "RELAY_SUMMARY_WAIT", 0, 864'000};
  return seconds(given(wait, std::optional<double>(), env).value_or(600));
}

std::uint64_t largest_file(const environment& env) {
  constexpr number_setting<std::int64_t> megabytes{"", "RELAY_MAX_FILE_MB", 1, 100'000};
  const auto most = given(megabytes, std::optional<std::int64_t>(), env).value_or(500);
  return static_cast<std::uint64_t>(most) << 20;
}

}  // namespace rowrunner::ocr_relay
