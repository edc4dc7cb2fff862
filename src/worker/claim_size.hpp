#pragma once

#include <chrono>

namespace rowrunner {

/// How many jobs to claim at once: the free slots, and as many as will run while the next claim is
/// under way. Short jobs are claimed by the thousand, long ones one per slot, and nobody holds
/// jobs that another worker could run now.
class claim_size {
 public:
  using clock = std::chrono::steady_clock;
  static constexpr int largest = 1000;
  /// The work that may wait in this process.
  static constexpr std::chrono::milliseconds ahead{30};

  /// `jobs` were ended since the last call.
  void ended(int jobs, clock::time_point now);
  /// How many to claim with so many free slots and so many jobs claimed but not started; zero if it
  /// is not worth a round trip yet.
  int wanted(int free_slots, int waiting_here) const;

 private:
  double per_second_ = 0;
  int counted_ = 0;
  clock::time_point since_{};
};

}  // namespace rowrunner
