#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>

namespace rowrunner {

/// Wakes one waiting coroutine of the same thread. A set() without a waiter is remembered
/// until the next wait.
class event {
 public:
  explicit event(const boost::asio::any_io_executor& executor) : timer_(executor) {}

  void set() {
    set_ = true;
    timer_.cancel();
  }

  /// True if it was set, false if time ran out. If the coroutine is cancelled, the next co_await
  /// of the caller throws.
  boost::asio::awaitable<bool> wait_for(std::chrono::steady_clock::duration at_most) {
    if (!set_) {
      timer_.expires_after(at_most);
      co_await timer_.async_wait(boost::asio::as_tuple(boost::asio::use_awaitable));
    }
    const bool was_set = set_;
    set_ = false;
    co_return was_set;
  }

 private:
  boost::asio::steady_timer timer_;
  bool set_ = false;
};

}  // namespace rowrunner
