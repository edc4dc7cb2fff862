#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "worker/lane_backoff.hpp"

namespace rowrunner {

/// What firing the joins of one kind brought.
struct fired_joins {
  std::int64_t jobs = 0;
  /// Why some stay behind, unless another session has only locked their rows.
  std::string trouble{};
};

/// Of which kinds held jobs are let run now. Any worker that polls does it, for
/// kinds that it does not serve too. Each kind has a transaction and a back-off of its own, so that
/// one whose table is locked, or whose triggers hang, holds up none but its own jobs.
class join_plan {
 public:
  using clock = lane_backoff::clock;
  using time = clock::time_point;
  using kind_id = std::int64_t;

  /// A kind that took long in vain gets this share of the time at most (one part in so many):
  /// nothing is claimed meanwhile.
  static constexpr int share = 10;

  /// The last parent of a job may have ended.
  void outcomes_written() { ends_since_ = true; }
  /// The poll saw no join that may be ready.
  void none();
  /// It saw some; whether to ask of which kinds. `idle`: no job runs in this process. Firing takes
  /// some milliseconds in which nothing is claimed, so otherwise the ends of many are left to
  /// gather.
  bool due(bool idle, time now) const;
  void no_answer(time now);
  /// These kinds have some. Gives those to try now, those in trouble last.
  std::vector<kind_id> begin(const std::vector<kind_id>& noted, bool idle, time now);
  /// Says whether the trouble is news.
  bool tried(kind_id kind, const fired_joins& what, time begun, time now);

  /// When to ask again, as far as it is known.
  time next() const;
  /// A drain need not wait for those that are left.
  bool failed_repeatedly() const;

 private:
  /// Those that had some when they were asked for last.
  std::map<kind_id, lane_backoff> kinds_;
  lane_backoff asks_{std::chrono::seconds{1}};
  time next_fire_{};
  bool ends_since_ = false;
};

}  // namespace rowrunner
