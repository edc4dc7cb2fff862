#include "common/child/turns.hpp"

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>

namespace rowrunner::child {

/// A waiter that is removed whatever ends the wait: the call, a cancellation, or the destruction of
/// the whole coroutine.
struct turns::queued_waiter {
  queued_waiter(turns& in, std::uint64_t about)
      : owner(in), at(in.waiters_.emplace(in.waiters_.end(), in.executor_, about)) {}
  ~queued_waiter() {
    const bool unused_call = at->called && !accepted;
    const auto about = at->about;
    owner.waiters_.erase(at);
    if (unused_call) owner.pass_on(about);
  }
  queued_waiter(const queued_waiter&) = delete;
  queued_waiter& operator=(const queued_waiter&) = delete;

  turns& owner;
  std::list<waiter>::iterator at;
  bool accepted = false;
};

bool turns::try_take() noexcept {
  if (free_ == 0) return false;
  --free_;
  return true;
}

asio::awaitable<void> turns::take(std::uint64_t about) {
  if (try_take()) co_return;
  queued_waiter mine(*this, about);
  co_await mine.at->bell.async_wait(asio::as_tuple(asio::use_awaitable));
  if (!mine.at->called) throw boost::system::system_error(asio::error::operation_aborted);
  mine.accepted = true;
}

void turns::pass_on(std::uint64_t about) {
  const auto waits = [](const waiter& each) { return !each.called; };
  const auto same = [&](const waiter& each) { return waits(each) && each.about == about; };
  auto next = waiters_.end();
  if (about != 0) next = std::find_if(waiters_.begin(), waiters_.end(), same);
  if (next == waiters_.end()) next = std::find_if(waiters_.begin(), waiters_.end(), waits);
  if (next == waiters_.end()) {
    ++free_;
    return;
  }
  next->called = true;
  next->bell.cancel();
}

}  // namespace rowrunner::child
