#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "common/http/url.hpp"

namespace rowrunner::webhooks {

/// What counts as one receiver: server and path. The query may be different for every event.
struct endpoint {
  std::string server;
  std::string path;

  std::string text() const { return server + path; }
};

endpoint endpoint_of(const http::url& address);

/// Lets a few calls at a time through to each receiver, and some more to all receivers of a server,
/// so that one that is slow or hangs takes no more than its share of this process, also if its
/// paths have ids in them. Those that are turned away are told when to come back: by
/// how long calls to that receiver take, one after the other, so that ten thousand that wait for a
/// receiver which hangs do not ask all the time. It is told the time and does nothing itself.
class endpoint_gate {
 public:
  using clock = std::chrono::steady_clock;
  using milliseconds = std::chrono::milliseconds;

  static constexpr milliseconds shortest_wait{100};
  static constexpr milliseconds longest_wait{120'000};

  endpoint_gate(std::size_t calls_per_endpoint, std::size_t calls_per_server)
      : limit_(calls_per_endpoint), server_limit_(calls_per_server) {}

  /// False: not now.
  bool enter(const endpoint& to, clock::time_point now);
  void leave(const endpoint& to, clock::time_point entered, clock::time_point now);

  /// After enter() has said no. `random` is in [0, 1).
  milliseconds come_back_after(const endpoint& to, clock::time_point now, double random);

  std::size_t endpoints() const noexcept { return receivers_.size(); }
  std::size_t servers() const noexcept { return servers_.size(); }

 private:
  /// An endpoint, or a server with all of its endpoints.
  struct receiver {
    std::vector<clock::time_point> running;
    /// How long a call took lately.
    double usual_ms = 0;
    /// When the next one that is turned away should come.
    clock::time_point next_turn{};
  };

  using receivers = std::unordered_map<std::string, receiver>;

  static bool is_full(const receivers& in, const std::string& name, std::size_t limit);
  static void note_end(receivers& in, const std::string& name, clock::time_point entered,
                       clock::time_point now);

  const std::size_t limit_;
  const std::size_t server_limit_;
  receivers receivers_;
  receivers servers_;
};

}  // namespace rowrunner::webhooks
