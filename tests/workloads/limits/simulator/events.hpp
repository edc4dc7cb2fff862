#pragma once

#include <cstdint>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "workloads/limits/moment.hpp"

namespace rowrunner::limits::testing {

/// A virtual clock: what happens next happens at once.
class events {
 public:
  instant now() const { return now_; }

  void at(instant when, std::function<void()> what) {
    queue_.push({std::max(when, now_), next_++, std::move(what)});
  }
  void after(instant delay, std::function<void()> what) { at(now_ + delay, std::move(what)); }

  void run_until(instant end) {
    while (!queue_.empty() && queue_.top().when <= end) {
      auto first = queue_.top();
      queue_.pop();
      now_ = first.when;
      first.what();
    }
    now_ = end;
  }

 private:
  struct item {
    instant when;
    std::uint64_t order;
    std::function<void()> what;
    bool operator<(const item& other) const {
      return std::pair(when, order) > std::pair(other.when, other.order);
    }
  };

  instant now_{0};
  std::uint64_t next_ = 0;
  std::priority_queue<item> queue_;
};

}  // namespace rowrunner::limits::testing
