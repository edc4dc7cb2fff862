#pragma once

#include <cstdint>
#include <vector>

namespace rowrunner::limits {

/// What a replica has of a limit of calls under way, and would like to have.
struct concurrency_claim {
  int wanted = 0;
  int in_flight = 0;
  /// By the plan before; it may have that many under way when the next one begins.
  int had = 0;
};

/// Shares whose sum is never above `total`, not even with the calls that are still under way in
/// replicas whose share became smaller: what one gives up is handed out when it has ended.
std::vector<int> split_concurrency(int total, const std::vector<concurrency_claim>& claims,
                                   std::int64_t turn);

}  // namespace rowrunner::limits
