#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rowrunner::webhooks {

/// How long to wait after each failed try. The last one holds for all further tries.
struct retry_schedule {
  /// Those that Standard Webhooks recommends: ten tries within 75 hours.
  static retry_schedule recommended();

  std::vector<std::chrono::milliseconds> waits;
  /// Up to this share is added at random, so that what failed together does not come back together.
  double jitter = 0.2;
};

/// A receiver that asks for more than this is asked again after it.
inline constexpr std::chrono::milliseconds longest_retry_after = std::chrono::hours(24);

/// "5s,5m,2h": numbers with ms, s, m, h or d, with commas between them. Throws usage_error that
/// begins with `name`.
retry_schedule parse_schedule(std::string_view text, const std::string& name);

/// The wait after the given number of failures (1 for the first): never less than the receiver
/// asked for. `random` is in [0, 1).
std::chrono::milliseconds wait_after(const retry_schedule& schedule, int failures,
                                     std::optional<std::chrono::milliseconds> retry_after,
                                     double random);

}  // namespace rowrunner::webhooks
