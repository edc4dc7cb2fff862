#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace rowrunner {

/// How many values there were up to each of some bounds, and their sum. One thread uses it.
class histogram {
 public:
  /// `bounds`: rising, and constant for as long as any histogram with them exists.
  explicit histogram(std::span<const double> bounds)
      : bounds_(bounds), counts_(bounds.size() + 1) {}

  void add(double value) {
    const auto bucket = std::lower_bound(bounds_.begin(), bounds_.end(), value);
    ++counts_[static_cast<std::size_t>(bucket - bounds_.begin())];
    sum_ += value;
  }

  std::span<const double> bounds() const { return bounds_; }
  /// Values up to each bound and above the one before; the last number is of those above all.
  std::span<const std::uint64_t> counts() const { return counts_; }
  double sum() const { return sum_; }

 private:
  std::span<const double> bounds_;
  std::vector<std::uint64_t> counts_;
  double sum_ = 0;
};

/// In seconds: how long jobs wait and run.
inline constexpr double job_time_bounds[] = {0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5,   1,
                                             2.5,   5,    10,    30,   60,  300,  1'800, 7'200};
/// In seconds: how long statements take.
inline constexpr double statement_time_bounds[] = {0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05,
                                                   0.1,    0.25,  0.5,    1,     2.5,  5,     10};
/// Jobs of one statement.
inline constexpr double batch_bounds[] = {1, 2, 5, 10, 20, 50, 100, 200, 500, 1'000, 2'000, 5'000};

/// What a worker has done since it started.
struct worker_counts {
  std::int64_t claimed = 0;
  std::int64_t succeeded = 0;
  std::int64_t failed = 0;    ///< ended for good
  std::int64_t retried = 0;   ///< failed, and will run again
  std::int64_t rescued = 0;   ///< taken back from lost workers
  std::int64_t released = 0;  ///< queued again uncharged, or snoozed
  std::int64_t cancelled = 0;
  /// Fenced: writes that came after the lease was lost, and jobs of claims that were answered too
  /// late. Of ends whose answer was lost only those of which it is sure.
  std::int64_t refused = 0;
};

/// How long the jobs of one kind, and the claims of them, took in a worker.
struct kind_times {
  /// From when a job was due to its start.
  histogram wait_seconds{job_time_bounds};
  histogram run_seconds{job_time_bounds};
  /// Of claims, also those that found nothing.
  histogram claim_seconds{statement_time_bounds};
  /// Of claims that found something.
  histogram claim_jobs{batch_bounds};
};

/// Ends are written for all kinds together.
struct finish_times {
  histogram seconds{statement_time_bounds};
  histogram jobs{batch_bounds};
};

struct kind_measures {
  std::string kind;
  worker_counts counts;
  kind_times times;
  int slots = 0;
  int running = 0;
};

/// What a worker has done, per kind, for metrics.
struct worker_measures {
  std::vector<kind_measures> kinds;
  finish_times finishes;
  /// Connections that were opened in place of one that was lost.
  std::int64_t reconnects = 0;
};

}  // namespace rowrunner
