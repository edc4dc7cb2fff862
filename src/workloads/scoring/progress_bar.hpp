#pragma once

#include <optional>
#include <string>

#include "workloads/scoring/run_status.hpp"

namespace rowrunner::scoring {

/// Tells how much time is left, by how fast blocks were scored lately: a run that was resumed, or
/// slowed down, is not judged by its beginning.
class time_left {
 public:
  void add(double seconds, std::int64_t done);
  /// In seconds; nothing while it cannot be known.
  std::optional<double> estimate(std::int64_t total) const;
  /// Blocks a second.
  double rate() const noexcept { return rate_; }

 private:
  std::optional<double> began_;
  std::int64_t began_with_ = 0;
  double last_ = 0;
  std::int64_t done_ = 0;
  double rate_ = 0;
};

/// One line: a bar, the share, rows, speed and the time left.
std::string progress_line(const run_status& of, const time_left& when, int width);

}  // namespace rowrunner::scoring
