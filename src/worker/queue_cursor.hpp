#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>

namespace rowrunner {

/// The key of a queue entry. Smaller comes first.
struct queue_position {
  std::int16_t priority = std::numeric_limits<std::int16_t>::min();
  std::int64_t seq = std::numeric_limits<std::int64_t>::min();

  friend auto operator<=>(const queue_position&,
                          const queue_position&) = default;  // NOLINT(modernize-use-nullptr)
};

/// Where the next claim starts.
///
/// Entries that were taken stay in the index, dead, until no transaction can see them, and a claim
/// from the front walks over all of them: one forgotten open transaction would make every
/// claim slower than the last. So a claim starts behind the last entry that was seen. What falls
/// behind that point (late commits, more urgent jobs, jobs given back) is found by starting from
/// the front again: five times a second, and if that takes long less often, so that it costs a
/// twentieth of the time of one worker, or, down to once in two seconds, of all of them together.
///
/// For a worker that is alone, the cost is that of the walk: the time of the claim beyond that of
/// claims behind the point, which are slow too on a busy machine. Dead entries stay, so a walk that
/// was long once and not the time before was delayed by something else. Beside other workers,
/// claims behind the point wait for their turn and are no measure, so the time of the whole claim
/// counts.
class queue_cursor {
 public:
  using clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds front_interval{200};
  static constexpr int front_share = 20;
  static constexpr std::chrono::seconds longest_for_others{2};

  /// The entry behind which to start.
  queue_position start(clock::time_point now);
  /// The claim that start() began saw `seen` entries of the `asked`, the last of them `last`.
  void saw(int seen, int asked, queue_position last, clock::time_point begun,
           clock::time_point now);
  /// How many workers take jobs from this queue.
  void shared_by(int workers) { workers_ = std::max(1, workers); }

  bool at_front() const { return behind_ == queue_position{}; }

 private:
  clock::duration cost_of_front(clock::duration took);

  queue_position behind_;
  bool from_front_ = true;
  clock::time_point next_front_{};
  /// The time of a claim behind the point, and how much longer the last walk took.
  clock::duration usual_{};
  clock::duration last_walk_{};
  int workers_ = 1;
};

}  // namespace rowrunner
