#include "common/pg/backoff.hpp"

#include <algorithm>

namespace rowrunner::pg {

backoff::milliseconds backoff::next(std::mt19937_64& rng) {
  std::uniform_int_distribution<milliseconds::rep> spread(shortest.count(), ceiling_.count());
  ceiling_ = std::min(ceiling_ * 2, last_ceiling);
  return milliseconds(spread(rng));
}

}  // namespace rowrunner::pg
