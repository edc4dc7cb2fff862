#include "worker/claim_size.hpp"

#include <algorithm>

namespace rowrunner {

void claim_size::ended(int jobs, clock::time_point now) {
  counted_ += jobs;
  const std::chrono::duration<double> elapsed = now - since_;
  if (elapsed < std::chrono::milliseconds{5}) return;
  // Half of the old figure is kept: a pause or a burst moves it within a few claims.
  per_second_ = per_second_ / 2 + std::min(counted_ / elapsed.count(), 1e6) / 2;
  counted_ = 0;
  since_ = now;
}

int claim_size::wanted(int free_slots, int waiting_here) const {
  const double ahead_seconds = std::chrono::duration<double>(ahead).count();
  const int reserve = static_cast<int>(per_second_ * ahead_seconds);
  if (free_slots <= waiting_here && waiting_here * 2 > reserve) return 0;
  return std::clamp(free_slots + reserve - waiting_here, 0, largest);
}

}  // namespace rowrunner
