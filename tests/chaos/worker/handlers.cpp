#include "chaos/worker/handlers.hpp"

#include <sys/resource.h>

#include <boost/asio/this_coro.hpp>
#include <condition_variable>
#include <limits>
#include <memory>
#include <mutex>

#include "chaos/worker/execution.hpp"

namespace rowrunner::chaos {

namespace asio = boost::asio;
using namespace std::chrono_literals;

namespace {

/// Two steps: a call outside, which costs something, and one that builds on its result and has an
/// effect. A pause between them, and not before: the first step reads what is stored, so that the
/// second one is written at once, however late it is.
asio::awaitable<void> run_steps(job& self, const execution& log,
                                std::chrono::milliseconds between) {
  const std::string key = self.key("call");
  const step_body call = [&]() -> asio::awaitable<step_result> {
    log.note("body", "call");
    log.note("call", key);
    co_return log.result(key);
  };
  const auto called = co_await self.step("call", call);
  if (called.at("value") != key) throw std::runtime_error("the step gave " + called.dump());
  log.note("stored", "call");
  if (between > 0ms) co_await pause(between);
  const step_body build = [&]() -> asio::awaitable<step_result> {
    log.note("body", "build");
    step_result built;
    built.value = log.result("built");
    built.effects.push_back(log.page("build"));
    co_return built;
  };
  co_await self.step("build", build);
  log.note("stored", "build");
  co_await self.progress(2, 2, "lease " + std::to_string(log.lease()));
  log.note("told", "2");
}

/// True in the first execution only: a snooze does not count as an attempt, so the attempt cannot
/// tell.
asio::awaitable<bool> first_time(job& self, const execution& log) {
  bool first = false;
  const step_body mark = [&]() -> asio::awaitable<step_result> {
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
  const bool in_steps = plan.what == action::steps || plan.what == action::pages;
  const auto between = in_steps ? plan.time : 0ms;
  if (plan.time > between) co_await pause(plan.time);
  if (plan.what == action::steps || plan.late) co_await run_steps(self, log, between);
  if (plan.what == action::pages) co_await run_pages(self, log, between);
  if (plan.what == action::crash) log.crash(plan.signal);
  if (plan.what == action::hang) co_return log.end(action::fail);  // only a thread may hang
  if (plan.what == action::snooze && !snoozes) co_return log.end(action::effect);
  if (plan.what == action::fail) {
    log.end(action::fail);
    throw std::runtime_error("seeded failure under lease " + std::to_string(log.lease()));
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
