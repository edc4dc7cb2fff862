#include "workloads/webhooks/settings.hpp"

#include "program/setting.hpp"

namespace rowrunner::webhooks {

settings settings_from(const environment& env) {
  constexpr number_setting<double> timeout{"", "WEBHOOK_TIMEOUT", 0.05, 3'600};
  constexpr number_setting<int> calls{"", "WEBHOOK_ENDPOINT_CALLS", 1, 1'000};
  constexpr number_setting<int> server_calls{"", "WEBHOOK_SERVER_CALLS", 1, 1'000};
  settings out;
  if (const auto given_time = given(timeout, std::optional<double>(), env)) {
    out.timeout = seconds(*given_time);
  }
  if (const auto text = env.get("WEBHOOK_RETRIES")) {
    out.schedule = parse_schedule(*text, "WEBHOOK_RETRIES");
  }
  if (const auto text = env.get("WEBHOOK_SECRET")) out.keys = parse_keys(*text, "WEBHOOK_SECRET");
  if (const auto most = given(calls, std::optional<int>(), env)) {
    out.calls_per_endpoint = static_cast<std::size_t>(*most);
  }
  if (const auto most = given(server_calls, std::optional<int>(), env)) {
    out.calls_per_server = static_cast<std::size_t>(*most);
  }
  return out;
}

}  // namespace rowrunner::webhooks
