#include "workloads/limits/controller.hpp"

#include <algorithm>

namespace rowrunner::limits {

controller::controller(int highest)
    : highest_(std::clamp(highest, 1, highest_limit)), limit_(std::min(first_limit, highest_)) {}

void controller::reduce(instant sent, instant now) {
  clean_answers_ = clean_batches_ = most_in_flight_ = 0;
  if (sent < reduced_at_) return;
  limit_ = std::max(1.0, limit_ * 0.7);
  reduced_at_ = now;
}

void controller::succeed(int in_flight) {
  most_in_flight_ = std::max(most_in_flight_, in_flight);
  if (++clean_answers_ < std::min(batch, limit())) return;
  ++clean_batches_;
  // A limit that is not reached says nothing about a higher one.
  if (most_in_flight_ * 2 >= limit()) limit_ = std::min<double>(highest_, limit() + 1);
  clean_answers_ = most_in_flight_ = 0;
}

}  // namespace rowrunner::limits
