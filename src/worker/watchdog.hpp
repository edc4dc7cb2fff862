#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <thread>

namespace rowrunner {

/// Ends the process when the engine's thread no longer runs its event loop: a coroutine handler
/// that blocks or loops for ever would hold every job of the process without a heartbeat. It counts
/// its own ticks instead of reading a clock, so a process that was stopped and continued is not
/// mistaken for a stuck one.
class watchdog {
 public:
  /// `stuck` is called, on the watchdog's thread, after `patience` without a beat().
  watchdog(std::chrono::milliseconds patience, std::function<void()> stuck);

  /// From the engine's thread, several times within the patience.
  void beat() { beats_.fetch_add(1, std::memory_order_relaxed); }

 private:
  void watch(const std::stop_token& stop, std::chrono::milliseconds patience,
             const std::function<void()>& stuck);

  std::atomic<std::uint64_t> beats_{0};
  std::jthread thread_;
};

}  // namespace rowrunner
