#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "worker/running_job.hpp"

namespace rowrunner {

/// The jobs of a lane that have a slot. Each knows its number, so that to start and to end one of
/// them allocates nothing.
class running_jobs {
 public:
  void insert(job_ptr job) {
    job->slot = jobs_.size();
    jobs_.push_back(std::move(job));
  }

  /// The last one takes its number.
  void erase(const job_ptr& job) {
    const std::size_t slot = job->slot;
    if (slot >= jobs_.size() || jobs_[slot] != job) return;
    std::swap(jobs_[slot], jobs_.back());
    jobs_[slot]->slot = slot;
    jobs_.pop_back();
  }

  std::size_t size() const { return jobs_.size(); }
  bool empty() const { return jobs_.empty(); }
  auto begin() const { return jobs_.begin(); }
  auto end() const { return jobs_.end(); }

 private:
  std::vector<job_ptr> jobs_;
};

}  // namespace rowrunner
