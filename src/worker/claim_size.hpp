#pragma once

#include <chrono>

namespace rowrunner {

/// How many jobs to claim at once: the free slots, and as many as will run while the next claim is
/// under way. Short jobs are claimed by the hundred, long ones one per slot, and no
/// worker holds jobs that another one could run now.
class claim_size {
 public:
  using clock = std::chrono::steady_clock;
  static constexpr int largest = 1000;
  /// How much work may wait in this process.
  static constexpr std::chrono::milliseconds ahead{30};
  /// Durations vary: a claim asks at most for so many times as many jobs as the last one that
  /// brought all it asked for.
  static constexpr int growth = 4;

  /// There are jobs to run again. Time without jobs does not count, so that the estimate is the
  /// same in a process that waits for the server.
  void resumed(clock::time_point now) { since_ = now; }
  /// `jobs` were ended since the last call, in a process that runs `slots` at a time.
  void ended(int jobs, int slots, clock::time_point now);
  /// A claim brought all of the `jobs` that it asked for.
  void filled(int jobs) { last_full_claim_ = jobs; }
  /// Jobs had to wait here for much longer than expected: begins anew, as if nothing were known.
  void reset_estimate();
  /// What one job takes, if so many slots were busy; zero as long as nothing is known.
  clock::duration job_time(int slots) const;
  /// How many to claim with so many free slots and so many jobs claimed but not started; zero if it
  /// is not worth a round trip yet.
  int wanted(int free_slots, int waiting_here) const;

 private:
  double per_second_ = 0;
  int last_full_claim_ = 0;
  int counted_ = 0;
  clock::duration busy_{};
  clock::time_point since_{};
};

}  // namespace rowrunner
