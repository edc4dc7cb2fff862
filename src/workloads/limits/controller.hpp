#pragma once

#include "workloads/limits/moment.hpp"

namespace rowrunner::limits {

/// How many calls of this process may be under way at a time: × 0.7 on a 429, + 1 when calm. It
/// keeps a process from flooding a service whatever the plan says; the plan keeps the rate.
class controller {
 public:
  static constexpr int first_limit = 256;
  static constexpr int highest_limit = 1'024;
  static constexpr int batch = 8;

  explicit controller(int highest = highest_limit);

  int limit() const { return static_cast<int>(limit_); }
  int clean_batches() const { return clean_batches_; }

  /// A 429, or a 503 of a service that is overloaded. Only calls that were sent after the last
  /// reduction tell something new.
  void reduce(instant sent, instant now);
  /// An answer without complaint. Some of them in a row are a batch; a clean batch adds 1 if the
  /// limit was in use.
  void succeed(int in_flight);

 private:
  int highest_;
  double limit_;
  int clean_answers_ = 0;
  int clean_batches_ = 0;
  int most_in_flight_ = 0;
  instant reduced_at_{0};
};

}  // namespace rowrunner::limits
