#include "workloads/scoring/progress_bar.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "command/output.hpp"

namespace rowrunner::scoring {

namespace {

/// How long it takes until an old speed counts for a third.
constexpr double memory_seconds = 10;

}  // namespace

void time_left::add(double seconds, std::int64_t done) {
  if (!began_) {
    began_ = last_ = seconds;
    began_with_ = done_ = done;
    return;
  }
  const double passed = seconds - last_;
  if (passed <= 0) return;
  // Flushes come in lumps, so until there is a history the mean is better than the last lump.
  const double mean = static_cast<double>(done - began_with_) / (seconds - *began_);
  const double lately = static_cast<double>(done - done_) / passed;
  const double fresh = 1 - std::exp(-passed / memory_seconds);
  const bool young = seconds - *began_ < memory_seconds;
  rate_ = young || rate_ == 0 ? mean : rate_ + fresh * (lately - rate_);
  last_ = seconds;
  done_ = done;
}

std::optional<double> time_left::estimate(std::int64_t total) const {
  if (done_ >= total) return 0;
  if (rate_ <= 0) return std::nullopt;
  return static_cast<double>(total - done_) / rate_;
}

std::string progress_line(const run_status& of, const time_left& when, int width) {
  const auto total = std::max<std::int64_t>(of.total_blocks(), 1);
  const double share = static_cast<double>(of.done_blocks()) / static_cast<double>(total);
  const int full = static_cast<int>(share * width);
  std::string bar;
  for (int i = 0; i < width; ++i) bar += i < full ? "█" : "░";
  char numbers[160];
  std::snprintf(numbers, sizeof numbers, " %5.1f %%  %lld of %lld rows  %.0f rows/s", share * 100,
                static_cast<long long>(of.processed_rows), static_cast<long long>(of.rows),
                when.rate() / static_cast<double>(std::max<std::int64_t>(of.blocks, 1)));
  std::string line = bar + numbers;
  if (const auto left = when.estimate(total)) line += "  " + duration_text(*left) + " left";
  if (of.cost > 0) {
    std::snprintf(numbers, sizeof numbers, "  cost %.4g", of.cost);
    line += numbers;
  }
  if (of.limit_rate) {
    std::snprintf(numbers, sizeof numbers, "  limit %.3g/s", *of.limit_rate);
    line += numbers;
  }
  if (!of.waits_for.empty()) line += "  waits for " + of.waits_for;
  if (of.cache_hits > 0) line += "  " + std::to_string(of.cache_hits) + " from the cache";
  if (of.failed_blocks > 0) line += "  " + std::to_string(of.failed_blocks) + " failed";
  return line;
}

}  // namespace rowrunner::scoring
