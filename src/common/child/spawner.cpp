#include "common/child/spawner.hpp"

#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <exception>
#include <functional>
#include <memory>

namespace rowrunner::child {
namespace {

template <typename Result>
struct task {
  std::function<Result()> work;
  Result result{};
  std::exception_ptr failure{};

  void run() noexcept {
    try {
      result = work();
    } catch (...) {
      failure = std::current_exception();
    }
  }
};

/// Runs the work on the thread and returns on the caller's.
template <typename Result>
asio::awaitable<Result> on_thread(asio::thread_pool& thread, std::function<Result()> work) {
  const auto shared = std::make_shared<task<Result>>();
  shared->work = std::move(work);
  const auto begin = [&thread, shared](auto handler) {
    auto caller = asio::make_work_guard(asio::get_associated_executor(handler));
    auto body = [shared, caller = std::move(caller), handler = std::move(handler)]() mutable {
      shared->run();
      asio::post(caller.get_executor(), std::move(handler));
    };
    asio::post(thread, std::move(body));
  };
  co_await asio::async_initiate<const asio::use_awaitable_t<>, void()>(begin, asio::use_awaitable);
  if (shared->failure) std::rethrow_exception(shared->failure);
  co_return std::move(shared->result);
}

}  // namespace

asio::awaitable<spawned> spawner::start() {
  std::function<spawned()> work = [this] { return spawn(how_); };
  return on_thread<spawned>(thread_, std::move(work));
}

asio::awaitable<child_end> spawner::end_of(pid_t pid) {
  // No other child is started or waited for meanwhile.
  constexpr std::chrono::milliseconds patience{100};
  std::function<child_end()> work = [pid, patience] { return await_end(pid, patience); };
  return on_thread<child_end>(thread_, std::move(work));
}

void spawner::bury(pid_t pid) noexcept {
  if (closed_) {
    reap(pid);
  } else {
    asio::post(thread_, [pid] { reap(pid); });
  }
}

void spawner::close() noexcept {
  closed_ = true;
  thread_.join();
}

}  // namespace rowrunner::child
