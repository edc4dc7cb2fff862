#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <list>

namespace rowrunner::child {

namespace asio = boost::asio;

/// So many turns at a time, in the order in which callers asked, except that a turn goes first to a
/// call about the same file: the child that is free has it open. A turn passes directly to the next
/// waiter, so that a newcomer cannot overtake. It must outlive the coroutines that wait for it.
class turns {
 public:
  turns(asio::any_io_executor executor, std::size_t count)
      : executor_(std::move(executor)), free_(count) {}

  /// True if a turn was free, which now is the caller's.
  bool try_take() noexcept;
  /// Waits for a turn. Throws system_error (operation_aborted) if it is cancelled.
  asio::awaitable<void> take(std::uint64_t about);
  /// The caller's turn has ended. The next one is that of the first waiter that is about the same,
  /// if there is one, and else of the first; zero is about nothing.
  void pass_on(std::uint64_t about);

  std::size_t waiting() const noexcept { return waiters_.size(); }

 private:
  struct waiter {
    waiter(const asio::any_io_executor& executor, std::uint64_t what)
        : bell(executor, asio::steady_timer::time_point::max()), about(what) {}
    asio::steady_timer bell;
    const std::uint64_t about;
    bool called = false;
  };
  struct queued_waiter;

  const asio::any_io_executor executor_;
  std::list<waiter> waiters_;
  std::size_t free_;
};

}  // namespace rowrunner::child
