#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/use_future.hpp>

#include "common/log.hpp"
#include "support/pooler.hpp"
#include "support/postgres.hpp"
#include "worker/handler_sessions.hpp"
#include "workloads/limits/limits.hpp"

namespace rowrunner::testing {

namespace asio = boost::asio;
using namespace std::chrono_literals;

/// What a worker process has of limits: a pool of connections and the service.
class limits_process {
 public:
  limits_process(asio::io_context& io, const std::string& url, const environment& env,
                 std::chrono::milliseconds idle_after = 10s)
      : engine_(io.get_executor(),
                std::make_shared<handler_sessions>(io.get_executor(), settings(url), 2),
                std::make_shared<logger>(log_level::off)),
        limits(engine_, env, idle_after) {}

 private:
  static pg::settings settings(const std::string& url) {
    const auto place = endpoint_for_workers(url);
    pg::settings out;
    out.url = place.url;
    out.pooled = place.pooled;
    out.answer_timeout = 2s;
    return out;
  }

  services engine_;

 public:
  limits::service limits;
};

class limits_test : public ::testing::Test {
 protected:
  /// Runs a coroutine to its end, and nothing after it.
  template <typename T>
  T run(asio::awaitable<T> what) {
    auto answer = asio::co_spawn(io_, std::move(what), asio::use_future);
    io_.restart();
    while (answer.wait_for(0s) != std::future_status::ready) io_.run_one_for(30s);
    return answer.get();
  }

  limits_process& process(std::map<std::string, std::string> env = {},
                          std::chrono::milliseconds idle_after = 10s) {
    return *processes_.emplace_back(
        std::make_unique<limits_process>(io_, db_.url(), environment(std::move(env)), idle_after));
  }

  asio::awaitable<void> pause(std::chrono::milliseconds time) {
    asio::steady_timer timer(io_, time);
    co_await timer.async_wait(asio::use_awaitable);
  }

  static limits::answer_facts status(int number) {
    limits::answer_facts out;
    out.status = number;
    return out;
  }

  test_database db_{test_database::contents::workloads};
  asio::io_context io_;
  std::vector<std::unique_ptr<limits_process>> processes_;
};

}  // namespace rowrunner::testing
