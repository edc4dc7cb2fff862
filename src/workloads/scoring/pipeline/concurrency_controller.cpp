#include "workloads/scoring/pipeline/concurrency_controller.hpp"

#include <algorithm>

namespace rowrunner::scoring {

concurrency_controller::concurrency_controller(int concurrency)
    : most_(concurrency), limit_(concurrency) {}

void concurrency_controller::raise_to(int concurrency) {
  if (concurrency <= most_) return;
  if (limit_ == most_) limit_ = concurrency;
  most_ = concurrency;
}

void concurrency_controller::reduce(time_point sent, time_point now,
                                    std::chrono::milliseconds pause) {
  blocked_until_ = std::max(blocked_until_, now + pause);
  clean_calls_ = 0;
  clean_batches_ = 0;
  if (reductions_ > 0 && sent <= reduced_at_) return;
  reduced_at_ = now;
  ++reductions_;
  limit_ = std::max(1, limit_ * 7 / 10);
}

void concurrency_controller::succeeded() {
  if (++clean_calls_ < limit_) return;
  clean_calls_ = 0;
  ++clean_batches_;
  increase();
}

void concurrency_controller::increase() { limit_ = std::min(most_, limit_ + 1); }

std::chrono::milliseconds busy_pause(int in_a_row, double random) {
  const double longest = in_a_row >= 6 ? 60 : 1 << std::max(in_a_row, 0);
  return std::chrono::milliseconds(static_cast<std::int64_t>(longest * 1000 * random));
}

}  // namespace rowrunner::scoring
