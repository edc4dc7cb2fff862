#include "worker/lane_jobs.hpp"

#include <algorithm>
#include <iterator>

namespace rowrunner {

namespace {

/// A stall that is longer than the jobs take is caused by a long one. Jobs that began together end
/// together, so that much of a pause is nothing unusual; but other workers may be idle meanwhile.
constexpr std::chrono::milliseconds shortest_patience{60};
constexpr std::chrono::milliseconds longest_patience{250};

}  // namespace

void lane_jobs::claimed(int jobs, clock::time_point now) {
  if (idle()) size_.resumed(now);
  arriving_ += jobs;
}

void lane_jobs::add(std::vector<job_ptr> jobs, int claimed, clock::time_point now) {
  arriving_ -= claimed;
  if (waiting_.empty()) last_start_ = now;
  const auto before = [](const job_ptr& a, const job_ptr& b) { return a->position < b->position; };
  const bool in_order = waiting_.empty() || jobs.empty() || !before(jobs.front(), waiting_.back());
  const auto waited = static_cast<std::ptrdiff_t>(waiting_.size());
  std::move(jobs.begin(), jobs.end(), std::back_inserter(waiting_));
  // A claim from the front brings what is more urgent than those that wait.
  if (!in_order) {
    std::inplace_merge(waiting_.begin(), waiting_.begin() + waited, waiting_.end(), before);
  }
}

job_ptr lane_jobs::start_next() {
  if (free_slots() <= 0 || waiting_.empty()) return nullptr;
  auto job = std::move(waiting_.front());
  waiting_.pop_front();
  running_.insert(job);
  started_ = true;
  return job;
}

void lane_jobs::ended(const job_ptr& job) {
  running_.erase(job);
  ++ended_;
}

void lane_jobs::measure(clock::time_point now) {
  if (std::exchange(started_, false)) last_start_ = now;
  if (ended_ > 0) size_.ended(std::exchange(ended_, 0), slots_, now);
}

std::vector<job_ptr> lane_jobs::take_waiting(std::int64_t lease) {
  const auto under = [&](const job_ptr& job) { return job->lease == lease; };
  std::vector<job_ptr> taken;
  std::copy_if(waiting_.begin(), waiting_.end(), std::back_inserter(taken), under);
  if (!taken.empty()) std::erase_if(waiting_, under);
  return taken;
}

lane_jobs::clock::duration lane_jobs::max_stall() const {
  return std::clamp<clock::duration>(2 * size_.job_time(slots_), shortest_patience,
                                     longest_patience);
}

}  // namespace rowrunner
