#pragma once

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "workloads/mirror/redis_connection.hpp"
#include "workloads/mirror/status_source.hpp"
#include "workloads/projection.hpp"

namespace rowrunner::mirror {

/// Lists in Redis with what waits in the queues. They are for reading: what a client takes out of
/// one comes back.
class queue_mirror {
 public:
  using clock = std::chrono::steady_clock;

  /// A list is written when it differs from what was sent, and at least so often.
  static constexpr std::chrono::seconds again_after{60};
  static constexpr std::chrono::seconds between_looks{2};
  /// Of each kind.
  static constexpr int longest = 10'000;

  queue_mirror(status_source& source, std::vector<queue_projection> queues);

  /// Throws redis_unavailable and pg::error.
  asio::awaitable<void> catch_up(const std::vector<mirrored_kind>& kinds, redis_connection& redis,
                                 clock::time_point now);

  /// Another process has done the work since.
  void forget() { sent_.clear(); }

 private:
  struct sent_list {
    std::vector<std::string> items;
    clock::time_point at;
  };

  void send(const std::string& list, const seen_queue& seen, redis_connection& redis,
            clock::time_point now);

  status_source& source_;
  const std::vector<queue_projection> queues_;
  clock::time_point looked_{};
  std::map<std::string, sent_list> sent_;
};

}  // namespace rowrunner::mirror
