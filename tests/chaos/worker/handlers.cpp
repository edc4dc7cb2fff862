#include "chaos/worker/handlers.hpp"

#include <sys/resource.h>

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <condition_variable>
#include <csignal>
#include <limits>
#include <memory>
#include <mutex>

#include "chaos/behaviour.hpp"
#include "chaos/recorder.hpp"
#include "worker/running_job.hpp"

namespace rowrunner::chaos {

namespace asio = boost::asio;
using namespace std::chrono_literals;

namespace {

using context_ptr = std::shared_ptr<const handler_context>;

/// A job's lease is the engine's business; the record needs it.
template <typename Job>
struct leased : Job {
  explicit leased(const Job& one) : Job(one) {}
  std::int64_t lease() const { return static_cast<const running_job&>(*this->backend_).lease; }
};

/// One run of a handler, and its lines in the record.
class execution {
 public:
  template <typename Job>
  execution(context_ptr context, const Job& self)
      : context_(std::move(context)),
        id_(self.id()),
        name_(self.text("name")),
        attempt_(self.attempt()),
        lease_(leased<Job>(self).lease()) {
    note("begin");
  }

  void note(const std::string& event, const std::string& detail = {}) const {
    append_record(context_->history, context_->worker + " " + event + " " + name_ + " " +
                                         std::to_string(attempt_) + " " + std::to_string(lease_) +
                                         (detail.empty() ? "" : " " + detail));
  }

  /// What a step stores: with the lease that it was stored under, so that a late one is seen.
  nlohmann::json result(const std::string& value) const {
    return {{"value", value}, {"lease", lease_}};
  }

  behaviour plan() const { return behaviour_of(context_->seed, name_, attempt_); }

  /// What the job ends with, recorded before it is returned.
  outcome end(action what) const {
    succeeded done;
    switch (what) {
      case action::fail:
      case action::out_of_memory:
        note("end", "fail");
        return failed{"seeded failure under lease " + std::to_string(lease_), {}, false};
      case action::fail_for_good:
        note("end", "final");
        return final_failure("seeded end under lease " + std::to_string(lease_));
      case action::retry_later:
        note("end", "later");
        return retry_after("seeded retry under lease " + std::to_string(lease_), 500ms);
      case action::snooze:
        note("end", "snooze");
        return snoozed{300ms};
      case action::refused_effect:
        done.effects.push_back({"INSERT INTO public.chaos_effects (job_id, lease) VALUES ($1, $2)",
                                {std::nullopt, std::nullopt}});
        note("end", "refused-effect");
        return done;
      case action::succeed:
        note("end", "ok");
        return done;
      default:
        done.effects.push_back({"INSERT INTO public.chaos_effects (job_id, lease) VALUES ($1, $2)",
                                {id_, std::to_string(lease_)}});
        note("end", "effect");
        return done;
    }
  }

  [[noreturn]] void crash(int signal) const {
    note("crash", std::to_string(signal));
    std::signal(signal, SIG_DFL);
    std::raise(signal);
    std::abort();
  }

 private:
  context_ptr context_;
  std::string id_;
  std::string name_;
  int attempt_;
  std::int64_t lease_;
};

asio::awaitable<void> pause(std::chrono::milliseconds time) {
  asio::steady_timer timer(co_await asio::this_coro::executor, time);
  co_await timer.async_wait(asio::use_awaitable);
}

using step_body = std::function<asio::awaitable<nlohmann::json>()>;

/// Two steps: a call outside, which costs something, and one that builds on its result. A pause
/// between them, and not before: the first step reads what is stored, so that the second one is
/// written at once, however late it is.
asio::awaitable<void> run_steps(job& self, const execution& log,
                                std::chrono::milliseconds between) {
  const std::string key = self.key("call");
  const step_body call = [&]() -> asio::awaitable<nlohmann::json> {
    log.note("body", "call");
    log.note("call", key);
    co_return log.result(key);
  };
  const auto called = co_await self.step("call", call);
  if (called.at("value") != key) throw std::runtime_error("the step gave " + called.dump());
  log.note("stored", "call");
  if (between > 0ms) co_await pause(between);
  const step_body build = [&]() -> asio::awaitable<nlohmann::json> {
    log.note("body", "build");
    co_return log.result("built");
  };
  co_await self.step("build", build);
  log.note("stored", "build");
  co_await self.progress(2, 2, "built");
}

/// True in the first execution only: a snooze does not count as an attempt, so the attempt cannot
/// tell.
asio::awaitable<bool> first_time(job& self, const execution& log) {
  bool first = false;
  const step_body mark = [&]() -> asio::awaitable<nlohmann::json> {
    first = true;
    co_return log.result("first");
  };
  co_await self.step("snoozed", mark);
  co_return first;
}

asio::awaitable<outcome> act(job& self, const execution& log) {
  const auto plan = log.plan();
  if (plan.stubborn) {
    co_await asio::this_coro::reset_cancellation_state(asio::disable_cancellation());
    co_await asio::this_coro::throw_if_cancelled(false);
  }
  // Before the pause: what comes after it may be too late for a step, and is to be tried all the
  // same.
  bool snoozes = plan.what == action::snooze;
  if (snoozes) snoozes = co_await first_time(self, log);
  const auto between = plan.what == action::steps ? plan.time : 0ms;
  if (plan.time > between) co_await pause(plan.time);
  if (plan.what == action::steps || plan.late) co_await run_steps(self, log, between);
  if (plan.what == action::crash) log.crash(plan.signal);
  if (plan.what == action::hang) co_return log.end(action::fail);  // only a thread may hang
  if (plan.what == action::snooze && !snoozes) co_return log.end(action::effect);
  if (plan.what == action::fail) {
    log.end(action::fail);
    throw std::runtime_error("seeded failure under lease " +
                             std::to_string(leased<job>(self).lease()));
  }
  co_return log.end(plan.what);
}

/// Says in the record that the job was told to stop, or that something unforeseen came.
void note_exception(const execution& log, const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const job_stopped& e) {
    log.note("stopped", e.what());
  } catch (const boost::system::system_error& e) {
    log.note("stopped", e.code().message());
  } catch (const std::exception& e) {
    if (std::string_view(e.what()).starts_with("seeded ")) return;
    log.note("end", std::string("fail ") + e.what());
  }
}

asio::awaitable<outcome> run(context_ptr context, job& self) {
  const execution log(std::move(context), self);
  std::exception_ptr thrown;
  try {
    co_return co_await act(self, log);
  } catch (...) {
    thrown = std::current_exception();
  }
  note_exception(log, thrown);
  std::rethrow_exception(thrown);
}

outcome act_blocking(blocking_job& self, const execution& log) {
  const auto plan = log.plan();
  std::mutex lock;
  std::unique_lock hold(lock);
  std::condition_variable_any never;
  if (plan.what == action::hang) {
    for (;;) never.wait(hold);
  }
  if (plan.stubborn) {
    never.wait_for(hold, plan.time, [] { return false; });
  } else if (plan.time > 0ms &&
             (never.wait_for(hold, self.stop_token(), plan.time, [] { return false; }),
              self.stop_requested())) {
    throw job_stopped("told to stop");
  }
  if (plan.what == action::out_of_memory) {
    log.note("end", "fail");
#ifdef __SANITIZE_ADDRESS__
    throw std::bad_alloc{};  // which its operator new does not: it ends the process
#endif
    const std::string huge(std::numeric_limits<std::ptrdiff_t>::max() / 2, 'x');
    return final_failure(huge);
  }
  if (plan.what == action::crash) log.crash(plan.signal);
  if (plan.what == action::snooze) return log.end(action::effect);
  return log.end(plan.what);
}

outcome run_blocking(const context_ptr& context, blocking_job& self) {
  const execution log(context, self);
  try {
    return act_blocking(self, log);
  } catch (const std::bad_alloc&) {
    throw;
  } catch (...) {
    note_exception(log, std::current_exception());
    throw;
  }
}

}  // namespace

void add_chaos_kinds(worker& process, handler_context context) {
  // A process that a job kills leaves no core file behind.
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
  const auto shared = std::make_shared<const handler_context>(std::move(context));
  kind_options coroutines;
  coroutines.kind = "chaos";
  coroutines.columns = {"name"};
  process.add(coroutines, [shared](job& self) { return run(shared, self); });
  kind_options threads = coroutines;
  threads.kind = "chaos_blocking";
  // A thread that hangs can only be found by the clock.
  threads.timeout = 3s;
  process.add_blocking(threads,
                       [shared](blocking_job& self) { return run_blocking(shared, self); });
}

}  // namespace rowrunner::chaos
