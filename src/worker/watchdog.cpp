#include "worker/watchdog.hpp"

#include <condition_variable>
#include <mutex>

namespace rowrunner {

watchdog::watchdog(std::chrono::milliseconds patience, std::function<void()> stuck)
    : thread_([this, patience, stuck = std::move(stuck)](const std::stop_token& stop) {
        watch(stop, patience, stuck);
      }) {}

void watchdog::watch(const std::stop_token& stop, std::chrono::milliseconds patience,
                     const std::function<void()>& stuck) {
  constexpr int ticks = 20;
  std::mutex lock;
  std::condition_variable_any never;
  std::uint64_t last = beats_.load(std::memory_order_relaxed);
  int silent = 0;
  std::unique_lock hold(lock);
  while (!stop.stop_requested()) {
    never.wait_for(hold, stop, patience / ticks, [] { return false; });
    const auto now = beats_.load(std::memory_order_relaxed);
    silent = now == last ? silent + 1 : 0;
    last = now;
    if (silent >= ticks && !stop.stop_requested()) {
      stuck();
      return;
    }
  }
}

}  // namespace rowrunner
