#pragma once

#include <array>
#include <chrono>
#include <optional>
#include <string>

#include "worker/lane_backoff.hpp"
#include "worker/queue_cursor.hpp"

namespace rowrunner {

/// What the loop asks of the database for a kind, each with a back-off of its own. `locked`: a
/// claim found entries and could take none of them, as other sessions may have locked their jobs.
enum class loop_task { claim, rescue, move, poll, locked };

/// What one claim brought.
struct claim_facts {
  int jobs = 0;
  /// Entries seen of those asked for, those without a job included.
  int seen = 0;
  int asked = 0;
  /// Whether it started from the front of the queue.
  bool from_front = false;
  /// Whether entries yielded no job although it went around locked ones: another session may have
  /// locked their jobs. A stale or early entry looks the same, but is gone at the next walk.
  bool maybe_locked = false;
};

/// What a poll answers about one kind.
struct poll_row {
  bool paused = false;
  /// There is an entry in the queue.
  bool waiting = false;
  /// When the next delayed job is due; zero or less: now.
  std::optional<std::chrono::milliseconds> next_due{};
  /// There are leases of lost workers.
  bool expired = false;
  bool armed = false;
  int workers = 1;

  bool due_now() const { return next_due && next_due->count() <= 0; }
};

/// What is to be done about it.
struct poll_tasks {
  bool rescue = false;
  bool move = false;
};

/// What the loop knows of one kind, and decides for it: when to claim again, when to sleep, when to
/// rescue and to move delayed jobs. It does nothing.
class claim_state {
 public:
  using clock = std::chrono::steady_clock;
  using time = clock::time_point;

  queue_cursor& cursor() { return cursor_; }

  /// Neither paused nor asleep: claims are made when there is room.
  bool awake() const { return !asleep_ && !paused_; }
  bool asleep() const { return asleep_; }
  bool paused() const { return paused_; }
  bool may_claim(time now) const { return awake() && now >= next_claim(); }
  time next_claim() const { return std::max(claim_after_, until(loop_task::claim)); }

  bool due(loop_task task, time now) const { return of(task).due(now); }
  time until(loop_task task) const { return of(task).until(); }
  bool failed_repeatedly(loop_task task) const { return of(task).failed_repeatedly(); }
  /// Gives the pause until the next try.
  clock::duration failed(loop_task task, time now, std::string reason = {});

  /// A claim was answered. An empty one is repeated a few times, then the lane sleeps until a
  /// wake-up or a poll; in a drain at once, as it has no use for what comes later.
  void claimed(const claim_facts& got, bool drain, time now);
  void wake();
  /// An enqueue has found the wake-up flag armed, and disarmed it.
  void notified();
  /// Whether the wake-up flag is to be armed: the lane sleeps, and no enqueue would notify.
  bool needs_arming() const { return asleep_ && !paused_ && !armed_; }
  /// Nothing is known of the flag.
  void disconnected() { armed_ = false; }

  poll_tasks polled(const poll_row& row, time now);
  /// A rescue took back so many jobs of lost workers; of some leases other sessions have locked
  /// jobs.
  void rescued(int jobs, bool some_locked, time now);
  void moved(std::int64_t jobs, time now);

  /// Why nothing of the kind can be claimed, if that has failed several times in a row; else empty.
  const std::string& problem() const;
  /// Why jobs that are due stay behind if a drain ends now; null if none do.
  const char* left_behind() const;

 private:
  const lane_backoff& of(loop_task task) const { return tries_[static_cast<std::size_t>(task)]; }
  lane_backoff& of(loop_task task) { return tries_[static_cast<std::size_t>(task)]; }
  void found_all(int jobs, time now);
  void walked(const claim_facts& got, time now);

  queue_cursor cursor_;
  /// In the order of loop_task.
  std::array<lane_backoff, 5> tries_{
      lane_backoff{std::chrono::seconds{30}}, lane_backoff{std::chrono::seconds{2}},
      lane_backoff{std::chrono::seconds{2}}, lane_backoff{std::chrono::seconds{30}},
      lane_backoff{std::chrono::seconds{2}}};
  /// The last rescue put off leases because other sessions have locked their jobs.
  bool orphans_locked_ = false;
  time orphans_put_off_until_{};
  /// Since the last claim from the front.
  int walk_jobs_ = 0;
  bool walk_maybe_locked_ = false;
  /// The last poll saw an entry.
  bool entry_seen_ = false;
  /// The last poll saw an entry, or a delayed job that is due.
  bool due_seen_ = false;
  bool paused_ = false;
  bool asleep_ = false;
  /// The last poll saw the flag armed, and no notification has come since.
  bool armed_ = false;
  int empty_claims_ = 0;
  time claim_after_{};
};

}  // namespace rowrunner
