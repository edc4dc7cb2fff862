#pragma once

#include <gtest/gtest.h>

#include <boost/asio.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <cstdlib>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "common/pg/connection.hpp"
#include "support/postgres.hpp"

namespace rowrunner::pg {

using asio::awaitable;
using asio::use_awaitable;
using namespace asio::experimental::awaitable_operators;

inline std::string test_url() { return testing::server_url(); }

inline settings test_settings() {
  settings options;
  options.url = test_url();
  return options;
}

// g++ 12 rejects braced lists inside co_await expressions ("array used as initializer"), so these
// functions build them.
std::vector<param> params(auto... values) { return {param(std::move(values))...}; }
inline call on(const statement& stmt, std::vector<param> params = {}) {
  return call(stmt, std::move(params));
}
std::vector<call> all(auto... calls) { return {std::move(calls)...}; }

// Runs one statement that is not worth a name.
inline awaitable<result> ask(connection& db, std::string text, std::vector<param> params = {}) {
  const statement stmt{"", text};
  auto results = co_await db.run(all(on(stmt, std::move(params))));
  co_return std::move(results.front());
}

template <typename Failure>
awaitable<std::optional<Failure>> failure_of(auto doing) {
  try {
    co_await std::move(doing);
  } catch (const Failure& failure) {
    co_return failure;
  }
  ADD_FAILURE() << "no exception of the expected type";
  co_return std::nullopt;
}

class pg_fixture : public ::testing::Test {
 protected:
  using body = std::function<awaitable<void>()>;

  // The time limit only turns a deadlock into a failure.
  void play(const body& test) {
    bool finished = false;
    io_.restart();
    asio::co_spawn(io_, test(), [&](std::exception_ptr failure) {
      finished = true;
      io_.stop();
      if (failure) std::rethrow_exception(failure);
    });
    io_.run_for(std::chrono::seconds(60));
    EXPECT_TRUE(finished) << "the test hangs";
  }

  awaitable<std::unique_ptr<connection>> connect(settings options = test_settings()) {
    return connection::open(io_.get_executor(), std::move(options));
  }

  // Until the server shows that backend in the given state of waiting.
  awaitable<void> until_waits(connection& observer, int pid, std::string event) {
    for (;;) {
      const auto seen = co_await ask(
          observer, "SELECT count(*) FROM pg_stat_activity WHERE pid = $1 AND wait_event = $2",
          params(std::to_string(pid), event));
      if (seen.get_int(0, 0) == 1) co_return;
    }
  }

  awaitable<void> terminate(int pid) {
    const auto admin = co_await connect();
    co_await ask(*admin, "SELECT pg_terminate_backend($1, 10000)", params(std::to_string(pid)));
  }

  awaitable<void> terminate_sleeper(connection& observer, int pid) {
    co_await until_waits(observer, pid, "PgSleep");
    co_await terminate(pid);
  }

  /// A coroutine that the test does not wait for at once.
  struct task {
    asio::steady_timer bell;
    bool over = false;
    std::exception_ptr failure{};
  };

  template <typename Doing>
  std::shared_ptr<task> spawn(Doing doing, asio::cancellation_slot slot = {}) {
    const auto started = std::make_shared<task>(
        task{.bell = asio::steady_timer(io_, asio::steady_timer::time_point::max())});
    asio::co_spawn(io_, std::move(doing),
                   asio::bind_cancellation_slot(slot, [started](std::exception_ptr failure) {
                     started->over = true;
                     started->failure = failure;
                     started->bell.cancel();
                   }));
    return started;
  }

  awaitable<void> finished(std::shared_ptr<task> started) {
    while (!started->over) co_await started->bell.async_wait(asio::as_tuple(use_awaitable));
  }

  // Lets everything run that was ready before.
  awaitable<void> settle() {
    for (int i = 0; i < 20; ++i) co_await asio::post(io_, use_awaitable);
  }

  asio::io_context io_;
};

}  // namespace rowrunner::pg
