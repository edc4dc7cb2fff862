#pragma once

#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <rowrunner/services.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "common/environment.hpp"
#include "workloads/limits/answer_headers.hpp"
#include "workloads/limits/facts.hpp"

// Limits of services outside that all replicas share: so many calls, tokens and calls at a time.
//
//   auto held = co_await services.limits.permit("gemini:flash", expected_tokens);
//   const auto answer = co_await http.call(…);
//   held.report(limits::facts_of(answer));
//
// The fleet has one plan a second and key, in PostgreSQL; see docs/limits.md.

namespace rowrunner::limits {

class gate;
class shared_plan;

/// The permission to make one call. Movable; destroyed without report it counts as "no answer".
class held {
 public:
  held(held&& from) noexcept = default;
  held& operator=(held&& from) noexcept;
  ~held();

  /// What came back. The first report counts, later ones do nothing.
  void report(const answer_facts& answer);

 private:
  friend class service;
  held(std::shared_ptr<shared_plan> plan, std::string key, std::int64_t ticket)
      : plan_(std::move(plan)), key_(std::move(key)), ticket_(ticket) {}

  std::shared_ptr<shared_plan> plan_;
  std::string key_;
  std::int64_t ticket_ = 0;
};

/// A key as this process sees it.
struct state {
  std::string key;
  /// Calls a second of the whole fleet, by the newest plan.
  double rate = 0;
  /// Of this process: calls that may be under way at a time, that are, and that wait.
  int concurrency = 0;
  int in_flight = 0;
  int waiting = 0;
  /// Empty if no call waits.
  std::string why_waiting;
  std::chrono::milliseconds longest_wait{0};
  std::optional<std::chrono::system_clock::time_point> blocked_until;
};

/// Of a key in this process, since it was first used or was last idle: for metrics.
struct counters {
  std::string key;
  std::int64_t permits = 0;
  std::int64_t succeeded = 0;
  /// Answers with 429.
  std::int64_t rejected = 0;
  std::int64_t failed = 0;
  std::int64_t unanswered = 0;
  std::int64_t blocks = 0;
  std::int64_t tokens = 0;
  double waited_seconds = 0;
};

/// One per process. Used on the engine's thread only. It runs no statement until the first permit.
class service {
 public:
  /// Throws usage_error for a LIMIT_… that is not understood.
  /// A key that was not used for `idle_after` leaves the plans, and this process with the next new
  /// key.
  service(services& engine, const environment& env,
          std::chrono::milliseconds idle_after = std::chrono::seconds(10));
  ~service();
  service(const service&) = delete;
  service& operator=(const service&) = delete;

  /// Waits until a call may be made, in the order in which callers asked. Holds no database
  /// connection meanwhile. Cancelling the coroutine gives up the place. `tokens` is what the call
  /// is expected to cost; the report tells what it did.
  boost::asio::awaitable<held> permit(std::string key, std::int64_t tokens = 0);

  /// Nothing if the key was never used here.
  std::optional<state> look(std::string_view key) const;
  std::vector<counters> count() const;
  /// Statements that it has run.
  std::int64_t statements() const;

 private:
  std::shared_ptr<shared_plan> plan_;
};

}  // namespace rowrunner::limits
