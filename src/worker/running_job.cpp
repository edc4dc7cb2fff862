#include "worker/running_job.hpp"

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/use_future.hpp>
#include <boost/system/system_error.hpp>

#include "common/text.hpp"
#include "worker/blocking_pool.hpp"
#include "worker/job_writes.hpp"

namespace rowrunner {

namespace asio = boost::asio;

namespace {

constexpr std::size_t longest_message = 2000;

/// Work on a thread of the pool, shared with the coroutine that waits for it.
struct work_under_way {
  std::exception_ptr thrown;
  bool ended = false;
  std::stop_source stop;
};

/// Waits for the work whatever happens, as it uses what lives in the waiting frames; a cancellation
/// asks it to end early. Says whether there was one.
asio::awaitable<bool> wait_for_end(std::shared_ptr<work_under_way> work,
                                   std::shared_ptr<asio::steady_timer> done) {
  const bool throws = co_await asio::this_coro::throw_if_cancelled();
  co_await asio::this_coro::throw_if_cancelled(false);
  bool cancelled = false;
  while (!work->ended) {
    co_await done->async_wait(asio::as_tuple(asio::use_awaitable));
    const auto state = co_await asio::this_coro::cancellation_state;
    if (work->ended || state.cancelled() == asio::cancellation_type::none) continue;
    cancelled = true;
    work->stop.request_stop();
    co_await asio::this_coro::reset_cancellation_state(asio::disable_cancellation());
  }
  co_await asio::this_coro::reset_cancellation_state(asio::enable_terminal_cancellation());
  co_await asio::this_coro::throw_if_cancelled(throws);
  co_return cancelled;
}

}  // namespace

const std::optional<std::string>* running_job::find_column(std::string_view name) const {
  const auto& names = options->columns;
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return nullptr;
  return &columns[static_cast<std::size_t>(found - names.begin())];
}

asio::awaitable<void> running_job::sleep(std::chrono::steady_clock::duration time) {
  asio::steady_timer until(co_await asio::this_coro::executor, time);
  co_await until.async_wait(asio::use_awaitable);
}

asio::awaitable<std::optional<nlohmann::json>> running_job::stored_step(std::string name) {
  return writes->stored_step(shared_from_this(), std::move(name));
}

asio::awaitable<nlohmann::json> running_job::store_step(std::string name, step_result result) {
  return writes->store_step(shared_from_this(), std::move(name), std::move(result));
}

void running_job::report_progress(std::int64_t done, std::int64_t total, std::string message) {
  progress_report report{std::max<std::int64_t>(done, 0), std::max<std::int64_t>(total, 0),
                         printable(message, longest_message)};
  asio::dispatch(*writes->io(), [self = shared_from_this(), report = std::move(report)]() mutable {
    self->writes->report(self, std::move(report));
  });
}

/// If the work never ends, the engine abandons its thread, and the waiting coroutine stays behind
/// with it.
asio::awaitable<void> running_job::run_blocking(std::function<void(std::stop_token)> work) {
  const auto stopped = [this] {
    if (stopping.stop_requested()) throw job_stopped("the job was told to stop");
  };
  stopped();
  const auto shared = std::make_shared<work_under_way>();
  // The thread keeps `io` alive, and with it the waiting frames, should both be left behind.
  const auto io = writes->io();
  const auto done =
      std::make_shared<asio::steady_timer>(*io, asio::steady_timer::time_point::max());
  // `io` is the last to go: it may be this thread that ends it, and `done` is a part of it.
  const auto task = pool->post([io, done, shared, work = std::move(work)] {
    try {
      work(shared->stop.get_token());
    } catch (...) {
      shared->thrown = std::current_exception();
    }
    asio::post(*io, [shared, done] {
      shared->ended = true;
      done->cancel();
    });
  });
  pool_tasks.insert(task);
  const std::stop_callback told(stopping.get_token(), [shared] { shared->stop.request_stop(); });
  const bool cancelled = co_await wait_for_end(shared, done);
  pool_tasks.erase(task);
  if (shared->thrown) std::rethrow_exception(shared->thrown);
  stopped();
  if (cancelled) throw boost::system::system_error(asio::error::operation_aborted);
}

void running_job::await_from_thread(std::function<asio::awaitable<void>()> work) {
  asio::co_spawn(*writes->io(), std::move(work), asio::use_future).get();
}

}  // namespace rowrunner
