#pragma once

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_future.hpp>
#include <functional>
#include <future>
#include <string>
#include <thread>

#include "api/routes.hpp"
#include "api/server.hpp"
#include "api/services.hpp"
#include "support/log_lines.hpp"
#include "support/pooler.hpp"

namespace rowrunner::testing {

/// The server with routes and limits of a test, in a thread of this process, on a free port of
/// 127.0.0.1. Without a URL there is no database behind it. With ROWRUNNER_TEST_POOLER=1 it reaches
/// the database through a pooler, as workers do then.
class test_server {
 public:
  /// Routes that need the executor of the server.
  using route_maker =
      std::function<std::vector<api::route>(const boost::asio::any_io_executor& executor)>;

  explicit test_server(api::server_limits limits = {},
                       std::vector<api::route> routes = api::all_routes(),
                       const std::string& database_url = "postgresql://nobody@127.0.0.1:1/none",
                       bool runs_operations = true)
      : test_server(
            limits, [&](const auto&) { return std::move(routes); }, database_url, runs_operations) {
  }

  test_server(api::server_limits limits, const route_maker& routes, const std::string& database_url,
              bool runs_operations = true)
      : with_(io_.get_executor(), settings(database_url, limits), log_.target(),
              routes(io_.get_executor()), limits),
        server_(with_, io_.get_executor(), {boost::asio::ip::address_v4::loopback(), 0}),
        port_(server_.address().port()) {
    boost::asio::co_spawn(io_, with_.live.run(), boost::asio::detached);
    if (runs_operations) {
      boost::asio::co_spawn(io_, with_.operations.run(with_), boost::asio::detached);
    }
    // Started before the thread, as the server is used by one thread at a time.
    over_ = boost::asio::co_spawn(io_, server_.run(), boost::asio::use_future);
    thread_ = std::thread([this] { io_.run(); });
  }

  ~test_server() {
    io_.stop();
    thread_.join();
  }
  test_server(const test_server&) = delete;
  test_server& operator=(const test_server&) = delete;

  int port() const { return port_; }
  /// To be read when nothing is being served.
  const log_lines& log() const { return log_; }

  void stop() {
    boost::asio::post(io_, [this] { server_.stop(); });
  }
  bool ends_within(std::chrono::milliseconds at_most) {
    return over_.wait_for(at_most) == std::future_status::ready;
  }

  /// Runs in the server's thread, and waits for it.
  template <typename Work>
  auto in_server(Work work) {
    std::packaged_task<decltype(work(with_))()> task([&] { return work(with_); });
    auto answer = task.get_future();
    boost::asio::post(io_, [&task] { task(); });
    return answer.get();
  }

  /// As a server that only this machine reaches.
  void open_to_this_machine() {
    in_server([](api::services& with) { return with.loopback = true; });
  }
  void note_ready() {
    in_server([](api::services& with) {
      with.watch.answered(api::database_watch::clock::now(), std::nullopt);
      return true;
    });
  }

 private:
  static pg::settings settings(const std::string& url, const api::server_limits& limits) {
    const auto endpoint = endpoint_for_workers(url);
    pg::settings out;
    out.url = endpoint.url;
    out.pooled = endpoint.pooled;
    out.system_names_only = true;
    out.connect_timeout = std::chrono::milliseconds(2000);
    out.answer_timeout = limits.database_time;
    out.statement_timeout = limits.statement_time;
    return out;
  }

  boost::asio::io_context io_;
  log_lines log_;
  api::services with_;
  api::server server_;
  const int port_;
  std::future<void> over_;
  std::thread thread_;
};

}  // namespace rowrunner::testing
