#include "worker/claim_size.hpp"

#include <algorithm>

namespace rowrunner {

namespace {

// What an estimate must stand on: some time, or some jobs.
constexpr std::chrono::milliseconds enough_time{5};
constexpr int enough_jobs = 10;

}  // namespace

void claim_size::ended(int jobs, clock::time_point now) {
  counted_ += jobs;
  busy_ += now - since_;
  since_ = now;
  if (busy_ < enough_time && counted_ < enough_jobs) return;
  const std::chrono::duration<double> seconds = busy_;
  // Half of the old figure is kept: a pause or a burst moves it within a few claims.
  per_second_ = per_second_ / 2 + std::min(counted_ / std::max(seconds.count(), 1e-6), 1e6) / 2;
  counted_ = 0;
  busy_ = {};
}

void claim_size::disproved() {
  per_second_ = 0;
  proven_ = 0;
}

int claim_size::wanted(int free_slots, int waiting_here) const {
  const double ahead_seconds = std::chrono::duration<double>(ahead).count();
  const int reserve = std::min({static_cast<int>(per_second_ * ahead_seconds), proven_ * growth});
  if (free_slots <= waiting_here && waiting_here * 2 > reserve) return 0;
  return std::clamp(free_slots + reserve - waiting_here, 0, largest);
}

}  // namespace rowrunner
