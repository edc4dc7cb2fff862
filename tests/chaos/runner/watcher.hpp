#pragma once

#include <atomic>
#include <thread>

#include "chaos/runner/arena.hpp"
#include "chaos/runner/history.hpp"

namespace rowrunner::chaos {

/// Looks at the database about once a second, each time in one statement and so in one committed
/// snapshot, and notes what must not be:
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

  const arena& ground_;
  const history& record_;
  std::atomic<bool> stopping_ = false;
  std::thread thread_;
};

}  // namespace rowrunner::chaos
