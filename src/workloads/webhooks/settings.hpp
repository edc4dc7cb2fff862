#pragma once

#include <chrono>
#include <cstddef>

#include "common/environment.hpp"
#include "workloads/webhooks/schedule.hpp"
#include "workloads/webhooks/signature.hpp"

namespace rowrunner::webhooks {

struct settings {
  /// For one try: look-up, connection, request, answer and redirects together.
  std::chrono::milliseconds timeout{30'000};
  retry_schedule schedule = retry_schedule::recommended();
  signing_keys keys{};
  /// At a time, to each receiver, in this process.
  std::size_t calls_per_endpoint = 8;
  /// The same to all receivers of one server, whose paths may have ids in them.
  std::size_t calls_per_server = 64;
};

/// WEBHOOK_TIMEOUT (seconds), WEBHOOK_RETRIES, WEBHOOK_SECRET, WEBHOOK_ENDPOINT_CALLS,
/// WEBHOOK_SERVER_CALLS. Throws usage_error, naming the variable.
settings settings_from(const environment& env);

}  // namespace rowrunner::webhooks
