#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "chaos/runner/arena.hpp"
#include "chaos/runner/history.hpp"

namespace rowrunner::chaos {

/// Looks at the database about once a second (less often when that takes long), each time in one
/// statement and so in one committed snapshot, and notes what must not be:
///   watcher snapshot
///   watcher disagreement INVARIANT NAME
class watcher {
 public:
  watcher(const arena& ground, const history& record);
  ~watcher();
  watcher(const watcher&) = delete;
  watcher& operator=(const watcher&) = delete;

 private:
  void watch();
  void rest(std::chrono::nanoseconds time);

  const arena& ground_;
  const history& record_;
  std::mutex mutex_;
  std::condition_variable stopped_;
  std::atomic<bool> stopping_ = false;
  std::thread thread_;
};

}  // namespace rowrunner::chaos
