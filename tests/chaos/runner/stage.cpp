#include "chaos/runner/stage.hpp"

#include <thread>

#include "chaos/runner/collect.hpp"

namespace rowrunner::chaos {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

namespace {

/// A server that crashed is away for a while, and leases run out only after that.
constexpr milliseconds most_for_a_rescue{30'000};

}  // namespace

void stage::begin(milliseconds for_how_long) {
  const std::lock_guard lock(mutex_);
  over_ = false;
  until_ = steady_clock::now() + for_how_long;
}

bool stage::pause(milliseconds time) {
  std::unique_lock lock(mutex_);
  calmed_.wait_for(lock, time, [this] { return over_; });
  return !over_;
}

bool stage::raging() { return pause(milliseconds{0}); }

milliseconds stage::time_left() {
  const std::lock_guard lock(mutex_);
  const auto left = std::chrono::duration_cast<milliseconds>(until_ - steady_clock::now());
  return over_ ? milliseconds{0} : std::max(left, milliseconds{0});
}

void stage::fill() {
  constexpr int slots = 10;
  enqueuing.add("chaos", "late", slots * static_cast<int>(workers.size()) / 2);
  pause(milliseconds{500});
}

void stage::pause_until_taken_over(const std::string& worker, milliseconds at_least,
                                   milliseconds then) {
  const auto until = steady_clock::now() + at_least + most_for_a_rescue;
  pause(at_least);
  while (steady_clock::now() < until) {
    try {
      if (is_taken_over(*ground.connect(), worker)) break;
    } catch (const pqxx::failure&) {
      // The server is away, and nothing can be taken over.
    }
    std::this_thread::sleep_for(milliseconds{100});
  }
  std::this_thread::sleep_for(then);
}

void stage::calm() {
  const std::lock_guard lock(mutex_);
  over_ = true;
  calmed_.notify_all();
}

}  // namespace rowrunner::chaos
