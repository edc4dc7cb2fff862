#include "workloads/limits/bucket.hpp"

#include <algorithm>

namespace rowrunner::limits {

void token_bucket::fill(double per_second, double seconds, double tokens_each) {
  const double most = std::max(per_second * longest_saving, tokens_each);
  level = std::min(level + per_second * seconds, std::max(most, level));
}

void token_bucket::settle(double spent) {
  level += expected_before - spent;
  expected_before = expected;
  expected = 0;
}

double token_bucket::calls(double tokens_each) const {
  return std::max(0.0, level) / std::max(1.0, tokens_each);
}

void token_bucket::spend(double tokens) {
  level -= tokens;
  expected = tokens;
}

}  // namespace rowrunner::limits
