#pragma once

#include <boost/asio/awaitable.hpp>
#include <exception>
#include <functional>
#include <memory>
#include <utility>

namespace rowrunner {

/// Runs work that blocks, elsewhere, and returns when it is done. The work does not throw. If the
/// coroutine is cancelled meanwhile, the work may go on: it holds all that it needs.
using offload = std::function<boost::asio::awaitable<void>(std::function<void()>)>;

/// On the calling thread.
inline boost::asio::awaitable<void> run_inline(std::function<void()> work) {
  work();
  co_return;
}

namespace detail {

template <typename Result>
struct offloaded {
  Result result{};
  std::exception_ptr failure{};
};

}  // namespace detail

/// What the work returns, or throws. Name the lambda before the co_await if it captures more than
/// references and numbers: g++ 12 destroys it twice.
template <typename Result, typename Work>
boost::asio::awaitable<Result> result_of(offload elsewhere, Work work) {
  // Outside of the coroutine, which may be gone when the work ends.
  const auto shared = std::make_shared<detail::offloaded<Result>>();
  std::function<void()> whole = [shared, work = std::move(work)] {
    try {
      shared->result = work();
    } catch (...) {
      shared->failure = std::current_exception();
    }
  };
  co_await elsewhere(std::move(whole));
  if (shared->failure) std::rethrow_exception(shared->failure);
  co_return std::move(shared->result);
}

}  // namespace rowrunner
