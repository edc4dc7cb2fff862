#include "worker/claim_size.hpp"

#include <algorithm>

namespace rowrunner {

namespace {

// What an estimate must stand on: some time, or some jobs; and as many ends as there are slots,
// since jobs that began together end together, and what is between those ends is not what a job
// takes.
constexpr std::chrono::milliseconds enough_time{5};
constexpr int enough_jobs = 10;

}  // namespace

void claim_size::ended(int jobs, int slots, clock::time_point now) {
  counted_ += jobs;
  busy_ += now - since_;
  since_ = now;
  const bool long_enough = busy_ >= enough_time || counted_ >= std::max(enough_jobs, 2 * slots);
  if (counted_ < slots || !long_enough) return;
  const std::chrono::duration<double> seconds = busy_;
  // Half of the old figure is kept: a pause or a burst moves it within a few claims.
  per_second_ = per_second_ / 2 + std::min(counted_ / std::max(seconds.count(), 1e-6), 1e6) / 2;
  counted_ = 0;
  busy_ = {};
}

void claim_size::reset_estimate() {
  per_second_ = 0;
  last_full_claim_ = 0;
}

claim_size::clock::duration claim_size::job_time(int slots) const {
  if (per_second_ <= 0) return {};
  return std::chrono::duration_cast<clock::duration>(
      std::chrono::duration<double>(slots / per_second_));
}

int claim_size::wanted(int free_slots, int waiting_here) const {
  const double ahead_seconds = std::chrono::duration<double>(ahead).count();
  const int reserve =
      std::min({static_cast<int>(per_second_ * ahead_seconds), last_full_claim_ * growth});
  if (free_slots <= waiting_here && waiting_here * 2 > reserve) return 0;
  return std::clamp(free_slots + reserve - waiting_here, 0, largest);
}

}  // namespace rowrunner
