#pragma once

#include <chrono>
#include <cstddef>

namespace rowrunner::scoring {

/// When the writer writes what it has gathered: at `batch` items, when `interval` has passed since
/// the last write, or at the end.
class flush_plan {
 public:
  using time_point = std::chrono::steady_clock::time_point;

  flush_plan(std::size_t batch, std::chrono::milliseconds interval, time_point now)
      : batch_(batch), interval_(interval), last_(now) {}

  bool due(std::size_t gathered, bool ended, time_point now) const {
    return gathered > 0 && (ended || gathered >= batch_ || now >= last_ + interval_);
  }
  /// When it is due at the latest. With nothing gathered that is never.
  time_point at_latest(std::size_t gathered) const {
    return gathered == 0 ? time_point::max() : last_ + interval_;
  }
  void flushed(time_point now) { last_ = now; }

 private:
  const std::size_t batch_;
  const std::chrono::milliseconds interval_;
  time_point last_;
};

/// How often a write is tried before its chunk has failed.
inline constexpr int flush_tries = 5;

/// The wait after try number `tried`, from 1.
constexpr std::chrono::milliseconds flush_back_off(int tried) {
  return std::chrono::milliseconds(100) * (1 << (tried - 1));
}

}  // namespace rowrunner::scoring
