#pragma once

#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <string_view>

namespace rowrunner {

struct running_job;  // the engine's side

/// Thrown by step() and progress() when the job no longer belongs to this worker, or must stop.
/// Let it pass: the engine knows what to do.
struct job_stopped : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// What coroutine and blocking handlers have in common: reading the job.
class job_view {
 public:
  explicit job_view(std::shared_ptr<running_job> running) : running_(std::move(running)) {}

  const std::string& id() const;
  const std::string& kind() const;
  /// 1 for the first attempt. attempt() == max_attempts() is the last one.
  int attempt() const;
  int max_attempts() const;

  /// A column of the job's row that the kind asked for (kind_options::columns), as text.
  /// Throws std::out_of_range for any other name.
  const std::optional<std::string>& column(std::string_view name) const;
  /// The same, for a column that is NOT NULL; throws std::logic_error if it is NULL.
  const std::string& text(std::string_view name) const;

  /// A key for calls outside: the same in every attempt of this job, different for every other.
  std::string key(std::string_view step) const;

  /// Becomes true when the job should end: cancelled, out of time, lease lost, worker stopping.
  std::stop_token stop_token() const;
  bool stop_requested() const { return stop_token().stop_requested(); }

 protected:
  std::shared_ptr<running_job> running_;
};

/// A claimed job, as a coroutine handler sees it. The handler runs on the worker's only thread and
/// must not block it; blocking() takes work elsewhere. When the job should stop, the operation that
/// the handler awaits is cancelled (boost::asio cancellation, terminal).
class job : public job_view {
 public:
  using job_view::job_view;

  /// Runs `body` once per job: its result is stored before step() returns, and a later attempt
  /// gets the stored result without running it. Names are unique within the job.
  boost::asio::awaitable<nlohmann::json> step(
      std::string name, std::function<boost::asio::awaitable<nlohmann::json>()> body);

  /// Reports how far the job has come: `done` of `total`, and in words.
  boost::asio::awaitable<void> progress(std::int64_t done, std::int64_t total, std::string message);

  /// Runs `work` on the worker's thread pool and returns what it returns, or throws what it throws.
  template <typename Work>
  boost::asio::awaitable<std::invoke_result_t<Work>> blocking(Work work) {
    std::optional<std::invoke_result_t<Work>> result;
    co_await run_blocking([&] { result.emplace(work()); });
    co_return std::move(*result);
  }

 private:
  boost::asio::awaitable<void> run_blocking(std::function<void()> work);
};

/// A claimed job, as a blocking handler sees it, on a thread of the worker's pool. It must look at
/// stop_requested() now and then; a handler that does not is given up when its job should stop, and
/// what it does after that is refused.
class blocking_job : public job_view {
 public:
  using job_view::job_view;

  nlohmann::json step(const std::string& name, const std::function<nlohmann::json()>& body);
  void progress(std::int64_t done, std::int64_t total, const std::string& message);
};

}  // namespace rowrunner
