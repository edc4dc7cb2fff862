#pragma once

#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <rowrunner/column_value.hpp>
#include <rowrunner/outcome.hpp>
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

/// What a handler asks of whatever runs its job: the engine, or the test kit (testing.hpp).
class job_backend {
 public:
  virtual ~job_backend() = default;

  virtual const std::string& job_id() const = 0;
  virtual const std::string& job_kind() const = 0;
  virtual int charged_attempts() const = 0;
  virtual int most_attempts() const = 0;
  /// The value of a column that the kind asked for; nullptr for any other name.
  virtual const std::optional<std::string>* find_column(std::string_view name) const = 0;
  virtual std::stop_token stop_token() const = 0;

  virtual std::chrono::system_clock::time_point now() const = 0;
  virtual boost::asio::awaitable<void> sleep(std::chrono::steady_clock::duration time) = 0;
  virtual boost::asio::awaitable<std::optional<nlohmann::json>> stored_step(std::string name) = 0;
  /// Gives the result that later attempts will get.
  virtual boost::asio::awaitable<nlohmann::json> store_step(std::string name,
                                                            step_result result) = 0;
  /// Returns at once. From any thread.
  virtual void report_progress(std::int64_t done, std::int64_t total, std::string message) = 0;
  /// The token is set when the work should end early: the job stops, or the await is cancelled.
  virtual boost::asio::awaitable<void> run_blocking(std::function<void(std::stop_token)> work) = 0;
  /// Runs `work` to its end, from a thread of the pool.
  virtual void await_from_thread(std::function<boost::asio::awaitable<void>()> work) = 0;
};

template <typename Work>
struct blocking_answer : std::invoke_result<Work&, std::stop_token> {};
template <std::invocable Work>
struct blocking_answer<Work> : std::invoke_result<Work&> {};

}  // namespace detail

/// Thrown by step(), progress() and the like when the job no longer belongs to this worker, or must
/// stop. Let it pass: the engine knows what to do.
struct job_stopped : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// What coroutine and blocking handlers have in common: reading the job.
class job_view {
 public:
  explicit job_view(std::shared_ptr<detail::job_backend> backend) : backend_(std::move(backend)) {}

  const std::string& id() const { return backend_->job_id(); }
  const std::string& kind() const { return backend_->job_kind(); }
  /// 1 for the first attempt. attempt() == max_attempts() is the last one.
  int attempt() const { return backend_->charged_attempts() + 1; }
  int max_attempts() const { return backend_->most_attempts(); }

  /// A column of the job's row that the kind asked for (kind_options::columns), as text.
  /// Throws std::out_of_range for any other name.
  const std::optional<std::string>& column(std::string_view name) const;
  /// The same, for a column that is NOT NULL; throws std::logic_error if it is NULL.
  const std::string& text(std::string_view name) const;
  /// The same as a value: an integer type, double, bool, std::string (uuids too),
  /// std::chrono::system_clock::time_point, nlohmann::json, or a std::optional of these for a
  /// column that may be NULL. Throws bad_column, which fails the attempt with a message that names
  /// column, type and value.
  template <typename T>
  T get(std::string_view name) const {
    return detail::column_as<T>(name, column(name));
  }

  /// A key for calls outside: the same in every attempt of this job, different for every other.
  std::string key(std::string_view step) const;

  /// The time of this machine; a test sets it.
  std::chrono::system_clock::time_point now() const { return backend_->now(); }

  /// Becomes true when the job should end: cancelled, out of time, lease lost, worker stopping.
  std::stop_token stop_token() const { return backend_->stop_token(); }
  bool stop_requested() const { return stop_token().stop_requested(); }

 protected:
  void check_running() const;
  /// Throws std::invalid_argument for a name that cannot be stored, before the step is paid for.
  static void check_step_name(const std::string& name);

  std::shared_ptr<detail::job_backend> backend_;
};

/// A claimed job, as a coroutine handler sees it. The handler runs on the worker's only thread and
/// must not block it; blocking() takes work elsewhere. When the job should stop, the operation that
/// the handler awaits is cancelled (boost::asio cancellation, terminal). A handler may cancel what
/// it awaits itself, as with `co_await (job.step(…) || timer.async_wait(…))`, and go on.
class job : public job_view {
 public:
  using job_view::job_view;

  /// Runs `body` once per job: its result is stored before step() returns, and a later attempt
  /// gets the stored result without running it. Names are unique within the job, at most 1,000
  /// bytes. `body` takes nothing and returns an awaitable of JSON or of a step_result, whose
  /// effects commit with the result: both or neither. Text that PostgreSQL cannot store becomes
  /// U+FFFD, in what step() returns as well. A lambda that captures more than references and
  /// numbers needs a name, here and in blocking(), because of a defect of g++ 12:
  ///   const auto body = [text]() -> boost::asio::awaitable<nlohmann::json> { … };
  ///   co_await job.step("name", body);
  template <typename Body>
  boost::asio::awaitable<nlohmann::json> step(std::string name, Body&& body) {
    detail::refuse_captures_that_break<Body>();
    return run_step<std::decay_t<Body>>(std::move(name), std::forward<Body>(body));
  }

  /// Reports how far the job has come: `done` of `total`, and in words. It never waits for the
  /// database: the newest report is written up to four times a second, the last one with the end.
  boost::asio::awaitable<void> progress(std::int64_t done, std::int64_t total, std::string message);

  /// Runs `work` on the worker's thread pool and returns what it returns, or throws what it throws.
  /// `work` may take a std::stop_token, which tells it to end early: the job stops, or the await is
  /// cancelled, which then throws as soon as `work` has ended.
  template <typename Work>
  boost::asio::awaitable<typename detail::blocking_answer<std::decay_t<Work>>::type> blocking(
      Work&& work) {
    detail::refuse_captures_that_break<Work>();
    return blocking_result<std::decay_t<Work>>(std::forward<Work>(work));
  }

  /// Waits; in a test only the test's clock moves.
  boost::asio::awaitable<void> sleep(std::chrono::steady_clock::duration time) {
    return backend_->sleep(time);
  }

 private:
  template <typename Body>
  boost::asio::awaitable<nlohmann::json> run_step(std::string name, Body body) {
    check_step_name(name);
    if (auto stored = co_await backend_->stored_step(name)) co_return std::move(*stored);
    step_result given(co_await body());
    co_return co_await backend_->store_step(std::move(name), std::move(given));
  }

  template <typename Work>
  boost::asio::awaitable<typename detail::blocking_answer<Work>::type> blocking_result(Work work) {
    const auto call = [&work](const std::stop_token& stop) {
      if constexpr (std::invocable<Work&>) {
        return work();
      } else {
        return work(stop);
      }
    };
    using answer = typename detail::blocking_answer<Work>::type;
    if constexpr (std::is_void_v<answer>) {
      std::function<void(std::stop_token)> whole = call;
      co_await backend_->run_blocking(std::move(whole));
    } else {
      std::optional<answer> result;
      std::function<void(std::stop_token)> whole = [&](const std::stop_token& stop) {
        result.emplace(call(stop));
      };
      co_await backend_->run_blocking(std::move(whole));
      co_return std::move(*result);
    }
  }
};

/// A claimed job, as a blocking handler sees it, on a thread of the worker's pool. It must look at
/// stop_requested() now and then; a handler that does not is abandoned when its job should stop,
/// and what it does after that is ignored.
class blocking_job : public job_view {
 public:
  using job_view::job_view;

  nlohmann::json step(const std::string& name, const std::function<step_result()>& body);
  void progress(std::int64_t done, std::int64_t total, const std::string& message);
};

}  // namespace rowrunner
