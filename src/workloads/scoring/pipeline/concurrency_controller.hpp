#pragma once

#include <chrono>

namespace rowrunner::scoring {

/// The document's ConcurrencyController: how many calls may be under way in this process. A 429
/// makes it 0.7 times as many; when as many calls as may be under way have succeeded in a row,
/// which is a clean batch, it is one more, up to the run's concurrency. It decides, and waits for
/// nothing.
class concurrency_controller {
 public:
  using time_point = std::chrono::steady_clock::time_point;

  explicit concurrency_controller(int concurrency);

  /// A run with a larger concurrency uses the same key.
  void raise_to(int concurrency);

  bool may_start(time_point now) const { return in_flight_ < limit_ && now >= blocked_until_; }
  void start() { ++in_flight_; }
  void end() { --in_flight_; }

  /// After a 429 of a call that was sent then. Calls that were sent before the last reduction say
  /// nothing new. `pause` is what the other side asked for.
  void reduce(time_point sent, time_point now, std::chrono::milliseconds pause);
  /// After a call that succeeded.
  void succeeded();

  int limit() const noexcept { return limit_; }
  int most() const noexcept { return most_; }
  int in_flight() const noexcept { return in_flight_; }
  int clean_batches() const noexcept { return clean_batches_; }
  int reductions() const noexcept { return reductions_; }
  time_point blocked_until() const noexcept { return blocked_until_; }

 private:
  void increase();

  int most_;
  int limit_;
  int in_flight_ = 0;
  int clean_calls_ = 0;
  int clean_batches_ = 0;
  int reductions_ = 0;
  time_point reduced_at_{};
  time_point blocked_until_{};
};

/// The wait after the n-th 429 in a row if the other side names none: up to min(60, 2^n) seconds,
/// drawn at random (`random` is in [0, 1)), so that those who were refused together do not come
/// back together.
std::chrono::milliseconds busy_pause(int in_a_row, double random);

}  // namespace rowrunner::scoring
