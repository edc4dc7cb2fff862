#pragma once

#include <rowrunner/measures.hpp>
#include <utility>

namespace rowrunner {

/// What became of the jobs of one kind in this worker.
class lane_counts {
 public:
  void add(std::int64_t worker_counts::*what, std::int64_t n = 1) {
    total_.*what += n;
    unsaved_.*what += n;
  }
  /// Claimed, and released without a start.
  void not_started(std::int64_t jobs) { not_started_ += jobs; }

  const worker_counts& total() const { return total_; }
  std::int64_t claimed_to_start() const { return total_.claimed - not_started_; }
  /// What came since the last call.
  worker_counts take_unsaved() { return std::exchange(unsaved_, worker_counts{}); }

 private:
  worker_counts total_;
  worker_counts unsaved_;
  std::int64_t not_started_ = 0;
};

}  // namespace rowrunner
