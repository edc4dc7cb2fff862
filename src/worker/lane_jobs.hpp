#pragma once

#include <chrono>
#include <deque>
#include <vector>

#include "worker/claim_size.hpp"
#include "worker/running_jobs.hpp"

namespace rowrunner {

/// The jobs of one kind in this process: those that run, those that wait for a slot, those whose
/// claim has just been answered; and from their pace, how many more are wanted.
class lane_jobs {
 public:
  using clock = std::chrono::steady_clock;

  explicit lane_jobs(int slots) : slots_(slots) {}

  /// A claim that saw all of the `asked` entries has shown that there is enough for it.
  void filled(int asked) { size_.filled(asked); }
  /// A claim has brought so many, which add() will bring.
  void claimed(int jobs, clock::time_point now);
  /// In the order of the queue, as those that wait.
  void add(std::vector<job_ptr> jobs, int claimed, clock::time_point now);

  /// Gives a slot to the next one; null if there is no slot or no job.
  job_ptr start_next();
  void ended(const job_ptr& job);
  /// To be called after jobs were started or have ended.
  void measure(clock::time_point now);

  /// Those that wait are no longer this worker's to start.
  std::deque<job_ptr> take_waiting() { return std::exchange(waiting_, {}); }
  std::vector<job_ptr> take_waiting(std::int64_t lease);
  /// Those that wait had to do so for much longer than the pace of the jobs before them suggested.
  void reset_estimate() { size_.reset_estimate(); }

  const running_jobs& running() const { return running_; }
  int slots() const { return slots_; }
  int free_slots() const { return slots_ - static_cast<int>(running_.size()); }
  std::size_t waiting() const { return waiting_.size(); }
  /// There are jobs that wait for a slot, or will.
  bool more_to_start() const { return !waiting_.empty() || arriving_ > 0; }
  bool idle() const { return running_.empty() && !more_to_start(); }
  /// How many more to claim.
  int wanted() const {
    return size_.wanted(free_slots(), static_cast<int>(waiting_.size()) + arriving_);
  }
  /// How long it may take until a slot becomes free while jobs wait.
  clock::duration max_stall() const;
  /// When those that wait have waited for too long behind longer jobs.
  clock::time_point stuck_at() const {
    return waiting_.empty() ? clock::time_point::max() : last_start_ + max_stall();
  }

 private:
  int slots_;
  claim_size size_;
  std::deque<job_ptr> waiting_;
  /// Claimed, and not yet made into jobs that wait.
  int arriving_ = 0;
  running_jobs running_;
  /// When a job was last started, or the first of those that wait came.
  clock::time_point last_start_{};
  bool started_ = false;
  /// Ended, and not yet measured.
  int ended_ = 0;
};

}  // namespace rowrunner
