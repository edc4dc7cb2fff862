#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <rowrunner/testing.hpp>
#include <stdexcept>
#include <utility>

#include "common/storable.hpp"

namespace rowrunner::testing {

namespace asio = boost::asio;

/// Each await is counted when it begins. An injected stop happens inside of the await, as in the
/// engine: the coroutine is suspended, and wakes up cancelled.
class trial::backend final : public rowrunner::detail::job_backend {
 public:
  backend(trial& of, trial_run& record) : trial_(of), record_(record) {}

  const std::string& job_id() const override { return trial_.id; }
  const std::string& job_kind() const override { return trial_.kind; }
  int charged_attempts() const override { return trial_.attempt - 1; }
  int most_attempts() const override { return trial_.max_attempts; }
  std::stop_token stop_token() const override { return stopping_.get_token(); }
  std::chrono::system_clock::time_point now() const override { return trial_.now; }

  const std::optional<std::string>* find_column(std::string_view name) const override {
    const auto found = trial_.columns.find(name);
    return found == trial_.columns.end() ? nullptr : &found->second;
  }

  asio::awaitable<void> sleep(std::chrono::steady_clock::duration time) override {
    begin_await();
    if (told_to_stop_now()) co_await be_cancelled();
    trial_.now += std::chrono::duration_cast<std::chrono::system_clock::duration>(time);
  }

  /// An injected failure of a step comes when it is stored: the work was done, and is lost.
  asio::awaitable<std::optional<nlohmann::json>> stored_step(std::string name) override {
    const auto failure = count_await();
    const auto found = trial_.stored.find(name);
    if (found == trial_.stored.end() && !failure.empty()) {
      refused_[name] = failure;
    } else {
      throw_if_any(failure);
    }
    if (told_to_stop_now()) co_await be_cancelled();
    if (found == trial_.stored.end()) co_return std::nullopt;
    co_return found->second;
  }

  asio::awaitable<nlohmann::json> store_step(std::string name, step_result result) override {
    if (stopping_.stop_requested()) throw job_stopped("the job was told to stop");
    throw_if_any(refused_[name]);
    result.value = storable_json(std::move(result.value));
    // Two coroutines of the job may have run the same step: the first counts.
    const auto [kept, fresh] = trial_.stored.emplace(name, result.value);
    if (fresh) record_.steps.push_back({name, result.value, std::move(result.effects)});
    co_return kept->second;
  }

  void report_progress(std::int64_t done, std::int64_t total, std::string message) override {
    begin_await();
    if (told_to_stop_now()) {
      // It does not suspend, so there is nothing to cancel.
      stopping_.request_stop();
      throw job_stopped("the job was told to stop");
    }
    record_.progress.push_back({done, total, storable(message)});
  }

  asio::awaitable<void> run_blocking(std::function<void(std::stop_token)> work) override {
    begin_await();
    if (told_to_stop_now()) co_await be_cancelled();
    work(stopping_.get_token());
    co_return;
  }

  void await_from_thread(std::function<asio::awaitable<void>()> work) override {
    std::exception_ptr thrown;
    asio::io_context own;
    asio::co_spawn(own, std::move(work),
                   [&](const std::exception_ptr& failure) { thrown = failure; });
    own.run();
    if (thrown) std::rethrow_exception(thrown);
  }

  /// The failure of a statement of the handler's own comes before it takes effect.
  asio::awaitable<void> send_query() {
    const auto failure = count_await();
    if (!failure.empty()) throw database_error(failure, "", false, false);
    if (told_to_stop_now()) co_await be_cancelled();
  }

  asio::cancellation_signal& cancel() { return cancel_; }
  bool was_stopped() const { return stopping_.stop_requested(); }

 private:
  /// Gives the failure that was injected at this await, or "".
  std::string count_await() {
    if (stopping_.stop_requested()) throw job_stopped("the job was told to stop");
    const auto found = trial_.failures_.find(++record_.awaits);
    return found == trial_.failures_.end() ? "" : found->second;
  }
  static void throw_if_any(const std::string& failure) {
    if (!failure.empty()) throw std::runtime_error(failure);
  }
  void begin_await() { throw_if_any(count_await()); }

  bool told_to_stop_now() const { return record_.awaits == trial_.stop_at_; }

  /// Suspends, so that the cancellation finds something to cancel.
  asio::awaitable<void> be_cancelled() {
    asio::steady_timer never(co_await asio::this_coro::executor,
                             asio::steady_timer::time_point::max());
    asio::post(never.get_executor(), [this, &never] {
      stopping_.request_stop();
      cancel_.emit(asio::cancellation_type::terminal);
      never.cancel();
    });
    co_await never.async_wait(asio::use_awaitable);
    throw job_stopped("the job was told to stop");
  }

  trial& trial_;
  trial_run& record_;
  std::stop_source stopping_;
  asio::cancellation_signal cancel_;
  std::map<std::string, std::string> refused_;
};

bool trial_run::succeeded() const {
  return returned && std::holds_alternative<rowrunner::succeeded>(*returned);
}

bool trial_run::failed() const {
  return returned ? std::holds_alternative<rowrunner::failed>(*returned) : !stopped;
}

std::vector<effect> trial_run::effects() const {
  std::vector<effect> all;
  const auto add = [&](const std::vector<effect>& more) {
    all.insert(all.end(), more.begin(), more.end());
  };
  for (const auto& step : steps) add(step.effects);
  if (returned) std::visit([&](const auto& end) { add(end.effects); }, *returned);
  return all;
}

/// What is asked while no attempt runs, as by the factory of a handler, is no await of one.
class trial::answering_database final : public rowrunner::database {
 public:
  answering_database(trial& of, answer answers) : trial_(of), answers_(std::move(answers)) {}

  asio::awaitable<query_result> query(std::string sql, query_params params) override {
    if (trial_.running_) co_await trial_.running_->send_query();
    co_return answers_(sql, params);
  }

 private:
  trial& trial_;
  const answer answers_;
};

std::shared_ptr<rowrunner::database> trial::database(answer answers) {
  return std::make_shared<answering_database>(*this, std::move(answers));
}

trial& trial::fail_at(int await, std::string error) {
  failures_[await] = std::move(error);
  return *this;
}

trial& trial::stop_at(int await) {
  stop_at_ = await;
  return *this;
}

/// The next run is without what was injected into this one.
void trial::conclude(trial_run& run, const backend& of) {
  running_.reset();
  run.stopped = !run.returned && of.was_stopped();
  failures_.clear();
  stop_at_ = 0;
  if (run.failed()) ++attempt;
}

trial_run trial::run(const coroutine_handler& handler) {
  trial_run record;
  const auto behind = std::make_shared<backend>(*this, record);
  running_ = behind;
  asio::io_context io;
  job self{behind};
  bool ended = false;
  std::exception_ptr thrown;
  auto keep = [&](const std::exception_ptr& failure, outcome returned) {
    ended = true;
    thrown = failure;
    if (!failure) record.returned = std::move(returned);
  };
  asio::co_spawn(io, handler(self),
                 asio::bind_cancellation_slot(behind->cancel().slot(), std::move(keep)));
  io.run_for(patience);
  if (!ended) throw std::runtime_error("the handler has not ended in the time of the trial");
  try {
    if (thrown) std::rethrow_exception(thrown);
  } catch (const std::exception& e) {
    record.error = e.what();
  }
  conclude(record, *behind);
  return record;
}

trial_run trial::run(const blocking_handler& handler) {
  trial_run record;
  const auto behind = std::make_shared<backend>(*this, record);
  running_ = behind;
  blocking_job self{behind};
  try {
    record.returned = handler(self);
  } catch (const std::exception& e) {
    record.error = e.what();
  }
  conclude(record, *behind);
  return record;
}

}  // namespace rowrunner::testing
