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
#include <type_traits>
#include <utility>

namespace rowrunner {

namespace detail {

template <typename>
inline constexpr bool is_function = false;
template <typename Signature>
inline constexpr bool is_function<std::function<Signature>> = true;

/// g++ before 13 destroys what a lambda captures twice if the lambda is written inside of a
/// `co_await` expression. Its captures are then freed twice unless they are trivially copied. The
/// called function cannot prevent that, since the temporary belongs to the caller's coroutine.
template <typename Callable>
constexpr void refuse_captures_that_break() {
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ < 13
  using type = std::remove_cvref_t<Callable>;
  static_assert(
      std::is_lvalue_reference_v<Callable> || is_function<type> ||
          (std::is_trivially_copyable_v<type> && std::is_trivially_destructible_v<type>),
      "g++ before 13 destroys the captures of a lambda inside of co_await twice: name the "
      "lambda first, as in  const auto body = [text]() ...;  co_await job.step(\"name\", "
      "body);  or capture by reference");
#endif
}

}  // namespace detail

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
  /// gets the stored result without running it. Names are unique within the job. `body` takes
  /// nothing and returns an awaitable of JSON. A lambda that captures more than references and
  /// numbers needs a name, here and in blocking(), because of a defect of g++ 12:
  ///   const auto body = [text]() -> boost::asio::awaitable<nlohmann::json> { … };
  ///   co_await job.step("name", body);
  template <typename Body>
  boost::asio::awaitable<nlohmann::json> step(std::string name, Body&& body) {
    detail::refuse_captures_that_break<Body>();
    return run_step(std::move(name), std::forward<Body>(body));
  }

  /// Reports how far the job has come: `done` of `total`, and in words.
  boost::asio::awaitable<void> progress(std::int64_t done, std::int64_t total, std::string message);

  /// Runs `work` on the worker's thread pool and returns what it returns, or throws what it throws.
  template <typename Work>
  boost::asio::awaitable<std::invoke_result_t<std::decay_t<Work>&>> blocking(Work&& work) {
    detail::refuse_captures_that_break<Work>();
    return blocking_result<std::decay_t<Work>>(std::forward<Work>(work));
  }

 private:
  boost::asio::awaitable<nlohmann::json> run_step(
      std::string name, std::function<boost::asio::awaitable<nlohmann::json>()> body);

  template <typename Work>
  boost::asio::awaitable<std::invoke_result_t<Work&>> blocking_result(Work work) {
    if constexpr (std::is_void_v<std::invoke_result_t<Work&>>) {
      co_await run_blocking([&] { work(); });
    } else {
      std::optional<std::invoke_result_t<Work&>> result;
      co_await run_blocking([&] { result.emplace(work()); });
      co_return std::move(*result);
    }
  }

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
