#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <list>

namespace rowrunner::pg {

namespace asio = boost::asio;

enum class urgency { in_order, next };

/// So many turns at a time, given in the order in which callers asked, except that an urgent one is
/// next. A turn passes directly to the next waiter and is never free in between, so that a newcomer
/// cannot overtake. It must outlive the coroutines that wait for it.
class turn_queue {
 public:
  turn_queue(asio::any_io_executor executor, int turns)
      : executor_(std::move(executor)), free_(turns) {}

  /// True if a turn was free, which now is the caller's.
  bool try_take() noexcept;
  /// Waits for a turn. Throws system_error (operation_aborted) if it is cancelled.
  asio::awaitable<void> take(urgency how = urgency::in_order);
  /// The caller's turn has ended.
  void pass_on();

  int free() const noexcept { return free_; }
  bool has_waiters() const noexcept { return !waiters_.empty(); }

 private:
  struct waiter {
    explicit waiter(const asio::any_io_executor& executor)
        : bell(executor, asio::steady_timer::time_point::max()) {}
    asio::steady_timer bell;
    bool called = false;
  };
  struct queued_waiter;

  const asio::any_io_executor executor_;
  std::list<waiter> waiters_;
  int free_;
};

}  // namespace rowrunner::pg
