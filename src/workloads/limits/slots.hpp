#pragma once

#include <cstdint>
#include <vector>

#include "workloads/limits/moment.hpp"

namespace rowrunner::limits {

/// Splits `total` whole units among those that want some: none gets more than it wants while
/// another gets less than an equal part. What does not divide goes to those at `turn` and behind
/// it, so that each has its turn over time.
std::vector<int> fair_shares(int total, const std::vector<int>& wants, std::int64_t turn);

/// The slots of one replica in an epoch, at equal distances. The replicas that have slots are
/// shifted against each other, so that the calls of the fleet are spread as well.
class slots {
 public:
  slots() = default;
  /// Of `replicas` that have slots it is the one at `position`.
  slots(int count, int position, int replicas);

  int count() const { return count_; }
  /// How many have come, so long after the start of the epoch.
  int due(instant since_start) const;
  /// When the slot with this number (from 0) comes.
  instant offset(int number) const;

 private:
  int count_ = 0;
  double shift_ = 0;
};

}  // namespace rowrunner::limits
