#include "support/test_handler.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <mutex>

namespace rowrunner::testing {

namespace asio = boost::asio;

namespace {

asio::awaitable<void> pause(int ms) {
  asio::steady_timer timer(co_await asio::this_coro::executor, std::chrono::milliseconds{ms});
  co_await timer.async_wait(asio::use_awaitable);
}

int number(const job_view& self, const char* column) { return std::stoi(self.text(column)); }

outcome done(const job_view& self) {
  succeeded end;
  end.effects.push_back({"INSERT INTO effects (name) VALUES ($1)", {self.text("name")}});
  return end;
}

/// Adds a line in one write(2), which survives a kill. Says whether the line was there before.
bool log_line(const std::string& line) {
  const char* path = std::getenv("TEST_STEP_LOG");
  if (path == nullptr) return true;
  const std::string text = line + "\n";
  const int file = open(path, O_RDWR | O_APPEND | O_CREAT, 0644);
  std::string before(1 << 16, '\0');
  before.resize(
      static_cast<std::size_t>(std::max<ssize_t>(0, pread(file, before.data(), before.size(), 0))));
  const bool written = write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  close(file);
  return !written || before.find(text) != std::string::npos;
}

asio::awaitable<outcome> run_steps(job& self) {
  const int times = number(self, "times");
  for (int i = 1; i <= times; ++i) {
    const std::string name = "step" + std::to_string(i);
    const std::string line = self.text("name") + " " + name;
    std::function<asio::awaitable<nlohmann::json>()> body =
        [line]() -> asio::awaitable<nlohmann::json> {
      log_line(line);
      co_return nlohmann::json(line);
    };
    const auto result = co_await self.step(name, std::move(body));
    if (result != line) co_return final_failure("step gave " + result.dump());
  }
  if (!log_line(self.text("name") + " crashed")) std::raise(SIGKILL);
  co_return done(self);
}

struct page_count {
  int begun = 0;
  int stored = 0;
};

/// Pages one after the other, those that no other coroutine of the job has begun.
asio::awaitable<void> read_pages(job& self, page_count& count) {
  const int times = number(self, "times");
  while (count.begun < times) {
    const auto page = self.text("name") + "/" + std::to_string(++count.begun);
    const auto body = [&]() -> asio::awaitable<step_result> {
      log_line(page);
      co_await pause(number(self, "ms"));
      step_result given(page);
      given.effects.push_back(
          {"INSERT INTO step_effects (job_id, step) VALUES ($1, $2)", {self.id(), page}});
      given.effects.push_back({"INSERT INTO test_jobs (name) VALUES ($1)", {page}});
      co_return given;
    };
    co_await self.step(page, body);
    co_await self.progress(++count.stored, times, page);
  }
}

asio::awaitable<outcome> run_pages(job& self) {
  using namespace asio::experimental::awaitable_operators;
  static_assert(pages_at_once == 4);
  page_count count;
  co_await (read_pages(self, count) && read_pages(self, count) && read_pages(self, count) &&
            read_pages(self, count));
  co_return done(self);
}

}  // namespace

kind_options test_kind() {
  kind_options options;
  options.kind = "test";
  options.columns = {"name", "action", "ms", "times"};
  options.retry = retry_policy::at_once();
  return options;
}

asio::awaitable<outcome> run_test_job(job& self) {
  const auto action = self.text("action");
  const int ms = number(self, "ms");
  const int times = number(self, "times");
  if (action == "ok") {
    if (ms > 0) co_await pause(ms);
  } else if (action == "gate") {
    const auto gate = std::string(std::getenv("TEST_GATES")) + "/" + self.text("name");
    while (access(gate.c_str(), F_OK) != 0) co_await pause(10);
  } else if (action == "fail") {
    throw std::runtime_error("boom " + std::to_string(self.attempt()));
  } else if (action == "flaky") {
    if (self.attempt() <= times) throw std::runtime_error("flaky");
  } else if (action == "final") {
    co_return final_failure("no use");
  } else if (action == "later") {
    if (self.attempt() <= 1) co_return retry_after("later", std::chrono::milliseconds{ms});
  } else if (action == "snooze") {
    const auto first = co_await self.step(
        "first", [&]() -> asio::awaitable<nlohmann::json> { co_return self.stop_requested(); });
    if (!log_line(self.text("name") + " snoozed")) co_return snoozed{std::chrono::milliseconds{ms}};
  } else if (action == "crash") {
    std::raise(SIGKILL);
  } else if (action == "deaf") {
    co_await asio::this_coro::reset_cancellation_state(asio::disable_cancellation());
    for (;;) co_await pause(3'600'000);
  } else if (action == "block") {
    std::mutex lock;
    std::unique_lock hold(lock);
    std::condition_variable never;
    never.wait(hold, [] { return false; });
  } else if (action == "steps") {
    co_return co_await run_steps(self);
  } else if (action == "pages") {
    co_return co_await run_pages(self);
  } else if (action == "progress") {
    for (int i = 1; i <= times; ++i) co_await self.progress(i, times, "part " + std::to_string(i));
  } else if (action == "effect") {
    succeeded end;
    end.effects.push_back({"INSERT INTO effects (name) VALUES (NULL)", {}});
    co_return end;
  } else if (action == "cancelled") {
    co_return cancelled{"cancelled: not wanted"};
  } else {
    co_return final_failure("unknown action " + action);
  }
  co_return done(self);
}

outcome run_blocking_test_job(blocking_job& self) {
  const auto action = self.text("action");
  std::mutex lock;
  std::unique_lock hold(lock);
  std::condition_variable_any signal;
  if (action == "fail") throw std::runtime_error("boom");
  if (action == "deaf") signal.wait(hold, [] { return false; });
  if (action == "obedient") {
    signal.wait(hold, self.stop_token(), [] { return false; });
    throw job_stopped("told to stop");
  }
  if (action == "steps") {
    self.progress(1, 2, "half");
    const auto stored = self.step("only", [&] {
      log_line(self.text("name") + " only");
      return nlohmann::json(42);
    });
    if (stored != 42) return final_failure("step gave " + stored.dump());
    if (self.attempt() <= number(self, "times")) throw std::runtime_error("again");
  }
  return done(self);
}

}  // namespace rowrunner::testing
