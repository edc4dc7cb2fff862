#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "worker/join_plan.hpp"
#include "worker/lane.hpp"
#include "worker/lane_backoff.hpp"

namespace rowrunner {

/// What the loop does next, over all kinds. It decides and does nothing: how many jobs to claim for
/// which kind, when to poll, how long to wait, and when the work of a drain is done.
class loop_plan {
 public:
  using clock = claim_state::clock;
  using time = clock::time_point;

  /// While so many outcomes wait to be written, nothing more is claimed: the database is behind.
  static constexpr std::size_t most_unwritten = 10'000;

  loop_plan(const lane_list& lanes, const worker_options& options)
      : lanes_(lanes), options_(options) {}

  /// How many jobs to claim now; zero: none.
  int to_claim(const lane& lane, std::size_t unwritten, time now) const;
  /// Says whether the next claim is worth trying before any wait.
  bool claimed(lane& lane, const claim_facts& got, time now);
  bool stuck(const lane& lane, time now) const { return now >= lane.jobs.stuck_at(); }

  bool poll_due(time now) const { return now >= next_poll_; }
  /// Gives the kinds to poll for.
  std::vector<lane*> begin_poll(time now);
  /// Whether the wake-up flag of the kind is to be armed before the poll, so that a job which comes
  /// after the poll finds it armed. That of a kind which is being claimed is not: its enqueues
  /// would notify for nothing.
  bool arms(const lane& lane) const { return !options_.pooled && lane.claims.needs_arming(); }
  /// To be called when the tasks of a row are done; `acted`: they may have brought jobs into the
  /// queue.
  void row_done(lane& lane, const poll_row& row, bool acted, time now);
  /// Whether to fire joins, of which the poll saw some.
  bool joins_due(time now) const { return joins_.due(idle(now), now); }
  join_plan& joins() { return joins_; }
  /// No job runs in this process, and the next claims are not expected to find any.
  bool idle(time now) const { return nothing_runs() && !claims_on(now); }
  /// The poll saw some joins. `fired`: jobs were let run.
  void joins_noted(bool fired, time now);
  /// `pause`: the time between polls.
  void end_poll(std::chrono::milliseconds pause, time now);

  /// Until when to wait; nothing: there is something to do now.
  std::optional<time> wait_until(std::size_t unwritten, time now) const;
  /// A notification for the kind came.
  void notified(std::string_view kind);
  /// Outcomes were written: jobs may be back in the queue.
  void outcomes_written();
  /// The session is new: nothing is known of the flags.
  void disconnected();

  /// Whether the end that the options name is reached.
  bool finished(std::size_t unwritten) const;
  /// The kinds of which jobs that are due stay behind at the end, with the reason.
  std::vector<std::pair<const lane*, const char*>> left_behind() const;

 private:
  std::int64_t jobs_left() const;
  bool nothing_runs() const;
  /// The last claim of some kind did not find the end of the queue.
  bool claims_on(time now) const;

  const lane_list& lanes_;
  const worker_options& options_;
  /// Nothing that is due is known: set when a poll begins, unset by what it finds and by every
  /// write of outcomes.
  bool nothing_due_ = false;
  time next_poll_{};
  join_plan joins_;

  // The poll under way.
  time begun_{};
  bool arm_ = false;
  bool acted_ = false;
  /// When there will be something to do, as far as it is known.
  time next_task_ = time::max();
};

}  // namespace rowrunner
