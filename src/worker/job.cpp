#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/use_future.hpp>
#include <rowrunner/job.hpp>

#include "worker/blocking_pool.hpp"
#include "worker/job_writes.hpp"
#include "worker/lane.hpp"
#include "worker/running_job.hpp"

namespace rowrunner {

namespace asio = boost::asio;

const std::string& job_view::id() const { return running_->id; }
const std::string& job_view::kind() const { return running_->options->kind; }
int job_view::attempt() const { return running_->attempts + 1; }
int job_view::max_attempts() const { return running_->max_attempts; }
std::stop_token job_view::stop_token() const { return running_->stopping.get_token(); }

const std::optional<std::string>& job_view::column(std::string_view name) const {
  const auto& names = running_->options->columns;
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) {
    throw std::out_of_range("column " + std::string{name} + " is not among those of kind " +
                            kind());
  }
  return running_->columns[static_cast<std::size_t>(found - names.begin())];
}

const std::string& job_view::text(std::string_view name) const {
  const auto& value = column(name);
  if (!value) throw std::logic_error("column " + std::string{name} + " is NULL");
  return *value;
}

std::string job_view::key(std::string_view step) const {
  return kind() + ":" + id() + ":" + std::string{step};
}

asio::awaitable<nlohmann::json> job::run_step(
    std::string name, std::function<asio::awaitable<nlohmann::json>()> body) {
  if (auto stored = co_await running_->writes->stored_step(running_, name)) {
    co_return std::move(*stored);
  }
  auto result = co_await body();
  co_await running_->writes->store_step(running_, std::move(name), result);
  co_return result;
}

asio::awaitable<void> job::progress(std::int64_t done, std::int64_t total, std::string message) {
  return running_->writes->progress(running_, done, total, std::move(message));
}

/// Waits for the thread whatever happens: the work uses what lives in this coroutine's frame. If
/// the work never ends, the engine gives the job up, and this coroutine stays behind with its
/// thread.
asio::awaitable<void> job::run_blocking(std::function<void()> work) {
  if (stop_requested()) throw job_stopped("the job was told to stop");
  struct progress_of_work {
    std::exception_ptr thrown;
    bool ended = false;
  };
  auto shared = std::make_shared<progress_of_work>();
  // The thread keeps `io` alive, and with it this frame, should both be left behind.
  const auto io = running_->writes->io();
  auto done = std::make_shared<asio::steady_timer>(*io, asio::steady_timer::time_point::max());
  // `io` is the last to go: it may be this thread that ends it, and `done` is a part of it.
  const auto task = running_->pool->post([io, done, shared, work = std::move(work)] {
    try {
      work();
    } catch (...) {
      shared->thrown = std::current_exception();
    }
    asio::post(*io, [shared, done] {
      shared->ended = true;
      done->cancel();
    });
  });
  running_->pool_tasks.insert(task);
  co_await asio::this_coro::reset_cancellation_state(asio::disable_cancellation());
  while (!shared->ended) {
    co_await done->async_wait(asio::as_tuple(asio::use_awaitable));
  }
  co_await asio::this_coro::reset_cancellation_state(asio::enable_terminal_cancellation());
  running_->pool_tasks.erase(task);
  if (shared->thrown) std::rethrow_exception(shared->thrown);
  if (stop_requested()) throw job_stopped("the job was told to stop");
}

nlohmann::json blocking_job::step(const std::string& name,
                                  const std::function<nlohmann::json()>& body) {
  if (stop_requested()) throw job_stopped("the job was told to stop");
  auto& writes = *running_->writes;
  auto stored =
      asio::co_spawn(*writes.io(), writes.stored_step(running_, name), asio::use_future).get();
  if (stored) return std::move(*stored);
  auto result = body();
  if (stop_requested()) throw job_stopped("the job was told to stop");
  asio::co_spawn(*writes.io(), writes.store_step(running_, name, result), asio::use_future).get();
  return result;
}

void blocking_job::progress(std::int64_t done, std::int64_t total, const std::string& message) {
  if (stop_requested()) throw job_stopped("the job was told to stop");
  auto& writes = *running_->writes;
  asio::co_spawn(*writes.io(), writes.progress(running_, done, total, message), asio::use_future)
      .get();
}

}  // namespace rowrunner
