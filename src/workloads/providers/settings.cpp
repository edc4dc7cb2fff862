#include "workloads/providers/settings.hpp"

#include <charconv>

#include "common/errors.hpp"
#include "common/http/address_policy.hpp"
#include "common/http/error.hpp"
#include "common/http/url.hpp"

namespace rowrunner::providers {

std::chrono::milliseconds request_timeout(const environment& env) {
  const auto text = env.get("REQUEST_TIMEOUT").value_or("60");
  double seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (error != std::errc{} || end != text.data() + text.size() || !(seconds >= 0.001) ||
      !(seconds <= 3600)) {
    throw usage_error("REQUEST_TIMEOUT must be a number of seconds from 0.001 to 3600");
  }
  return std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000));
}

std::string base_url(const environment& env, const std::string& variable,
                     const std::string& otherwise) {
  auto base = env.get(variable).value_or(otherwise);
  while (base.ends_with('/')) base.pop_back();
  try {
    http::check_private(http::parse_url(base).server, variable);
  } catch (const http::error& why) {
    throw usage_error(variable + ": " + why.what());
  }
  return base;
}

}  // namespace rowrunner::providers
