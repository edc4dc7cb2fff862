#include "common/pg/turn_queue.hpp"

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>

namespace rowrunner::pg {

/// A waiter that is removed whatever ends the wait: the call, a cancellation, or the destruction of
/// the whole coroutine.
struct turn_queue::queued_waiter {
  queued_waiter(turn_queue& in, urgency how)
      : owner(in),
        at(owner.waiters_.emplace(
            how == urgency::next ? owner.waiters_.begin() : owner.waiters_.end(),
            owner.executor_)) {}
  ~queued_waiter() {
    const bool unused_call = at->called && !accepted;
    owner.waiters_.erase(at);
    if (unused_call) owner.pass_on();
  }
  queued_waiter(const queued_waiter&) = delete;
  queued_waiter& operator=(const queued_waiter&) = delete;

  turn_queue& owner;
  std::list<waiter>::iterator at;
  bool accepted = false;
};

bool turn_queue::try_take() noexcept {
  if (free_ == 0) return false;
  --free_;
  return true;
}

asio::awaitable<void> turn_queue::take(urgency how) {
  if (try_take()) co_return;
  queued_waiter mine(*this, how);
  co_await mine.at->bell.async_wait(asio::as_tuple(asio::use_awaitable));
  if (!mine.at->called) throw boost::system::system_error(asio::error::operation_aborted);
  mine.accepted = true;
}

void turn_queue::pass_on() {
  const auto next = std::find_if(waiters_.begin(), waiters_.end(),
                                 [](const waiter& each) { return !each.called; });
  if (next == waiters_.end()) {
    ++free_;
    return;
  }
  next->called = true;
  next->bell.cancel();
}

}  // namespace rowrunner::pg
