#pragma once

#include <deque>
#include <rowrunner/worker.hpp>
#include <variant>

#include "common/pg/statement.hpp"
#include "common/schema/kind_info.hpp"
#include "worker/claim_size.hpp"
#include "worker/lane_backoff.hpp"
#include "worker/queue_cursor.hpp"
#include "worker/running_jobs.hpp"

namespace rowrunner {

/// The statements of db/queries, bound to the job table of one kind.
struct kind_statements {
  kind_statements() = default;
  /// `columns`: the SQL that reads what the handler wants, as columns_of.sql gives it.
  kind_statements(const kind_info& kind, const std::vector<std::string>& columns);

  pg::statement claim, claim_careful, claimed_jobs, abandon, succeed, fail, give_back,
      end_cancelled, reread, step_done, progress, retention;
};

/// Everything about one kind in this worker: its position in the queue and its jobs here.
struct lane {
  using clock = std::chrono::steady_clock;

  // Constant after the start.
  kind_options options;
  std::variant<coroutine_handler, blocking_handler> handler;
  kind_info kind;
  kind_statements sql;

  // Owned by the engine's thread.
  queue_cursor cursor;
  claim_size size;
  /// Where the last claim waited for its turn.
  int turn_queue = 0;
  /// Until then claims do not wait for their turn: another session holds the lock.
  clock::time_point turns_skipped_until{};
  /// Claims, rescues, moves, polls and retention that failed, each on its own.
  lane_backoff claims{std::chrono::seconds{30}};
  lane_backoff rescues{std::chrono::seconds{2}};
  lane_backoff moves{std::chrono::seconds{2}};
  lane_backoff polls{std::chrono::seconds{30}};
  lane_backoff retentions{std::chrono::minutes{5}};
  /// Claims that found entries and could take none of them: other sessions may have locked them.
  lane_backoff locked{std::chrono::seconds{2}};
  /// The last rescue put off leases because other sessions have locked their jobs.
  bool orphans_locked = false;
  clock::time_point orphans_put_off_until{};
  /// Jobs passed over since the last report of it.
  int passed_over = 0;
  clock::time_point next_report{};
  int walk_jobs = 0;
  bool walk_maybe_locked = false;
  /// The last poll saw an entry.
  bool entry_seen = false;
  std::deque<job_ptr> ready;
  /// Claimed, and not yet made into jobs that are ready.
  int arriving = 0;
  /// When a job was last started, or the first of those that are ready came.
  clock::time_point last_start{};
  running_jobs running;
  /// Ended, and not yet told to `size`.
  int ended = 0;
  bool paused = false;
  bool pumping = false;
  /// Nothing was found for a while: the next claim waits for a wake-up or a poll.
  bool asleep = false;
  int empty_claims = 0;
  clock::time_point claim_after{};
  worker_counts total;
  /// Claimed and given back without a start.
  std::int64_t not_started = 0;
  worker_counts unsaved;
  std::string retention_cursor = "00000000-0000-0000-0000-000000000000";

  int free_slots() const { return options.max_concurrent - static_cast<int>(running.size()); }
  /// For so long no slot may become free while jobs are ready.
  clock::duration max_stall() const;
  bool stuck(clock::time_point now) const {
    return !ready.empty() && now - last_start >= max_stall();
  }
  bool waits() const { return !ready.empty() || arriving > 0; }
  bool idle() const { return running.empty() && !waits(); }

  clock::time_point next_claim() const { return std::max(claim_after, claims.until()); }

  void found_jobs();
  struct stretch {
    int jobs;
    bool from_front;
    bool to_the_end;
    bool maybe_locked;
  };
  /// A claim went over a stretch of the queue. If nothing was taken from its front to its end, and
  /// entries may have been left because their jobs are locked, the lane sleeps: a wake-up or a poll
  /// starts again.
  void walked(stretch of, clock::time_point now);
  /// A claim from the front took the last `jobs` that were there.
  void found_all(int jobs, clock::time_point now);
  void wake();

  void count(std::int64_t worker_counts::*what, std::int64_t n = 1) {
    total.*what += n;
    unsaved.*what += n;
  }
};

}  // namespace rowrunner
