#include "api/serve.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <csignal>
#include <stdexcept>

#include "api/ask.hpp"
#include "api/routes.hpp"
#include "api/server.hpp"
#include "common/errors.hpp"
#include "common/pg/pooler_check.hpp"
#include "common/text.hpp"
#include "queries/api.hpp"

namespace rowrunner::api {
namespace {

using asio::ip::tcp;

/// What database sessions, logs and the listener need beside the connections.
constexpr std::size_t other_descriptors = 64;

pg::settings settings_of(const serve_options& options) {
  pg::settings out;
  out.url = options.database_url;
  out.pooled = options.pooled;
  out.system_names_only = true;
  out.connect_timeout = std::chrono::seconds(3);
  out.answer_timeout = options.limits.database_time;
  out.statement_timeout = options.limits.statement_time;
  out.application_name = "rowrunner serve";
  return out;
}

/// As many connections as the process may have descriptors for.
server_limits within_descriptors(server_limits limits) {
  rlimit files{};
  if (getrlimit(RLIMIT_NOFILE, &files) != 0) return limits;
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
  const std::size_t kept = other_descriptors + limits.spare_connections;
  const auto most = static_cast<std::size_t>(files.rlim_max);
  limits.connections = std::min(limits.connections, most > kept ? most - kept : 1);
  return limits;
}

tcp::endpoint resolve(asio::io_context& io, const serve_options& options) {
  boost::system::error_code error;
  const auto found = tcp::resolver(io).resolve(options.host, std::to_string(options.port),
                                               tcp::resolver::passive, error);
  if (error || found.empty()) {
    throw usage_error("--host: '" + visible(printable(options.host, 100)) +
                      "' is no address of this machine");
  }
  return found.begin()->endpoint();
}

std::string url_of(const tcp::endpoint& at) {
  const auto host = at.address().to_string();
  return "http://" + (at.address().is_v6() ? "[" + host + "]" : host) + ":" +
         std::to_string(at.port());
}

asio::awaitable<bool> has_tokens(services& with) {
  const auto statement = queries::tokens_exist.statement();
  const auto found = co_await ask_about_caller(with, pg::with(statement));
  co_return found.get_bool(0, 0);
}

/// Before anything is prepared on a session of the server.
asio::awaitable<void> check_pooler(services& with, const serve_options& options) {
  if (options.pooled) co_return;
  const auto executor = co_await asio::this_coro::executor;
  const bool found = co_await pg::behind_transaction_pooler(executor, settings_of(options));
  if (!found) co_return;
  with.log->warn(
      "a transaction-mode pooler is between this server and the database: going on as with "
      "--pooled (ROWRUNNER_POOLED=1)");
  with.database.set_pooled();
  with.live.set_pooled();
}

/// Throws if this database, or this address without a token, must not be served.
asio::awaitable<void> check_start(services& with, const tcp::endpoint& at, bool own_routes) {
  const auto refusal = co_await ask_schema(with);
  if (refusal) throw std::runtime_error(*refusal);
  with.watch.answered(database_watch::clock::now(), std::nullopt);
  if (!own_routes) co_return;
  with.loopback = at.address().is_loopback();
  const bool closed = co_await has_tokens(with);
  if (closed) co_return;
  if (!with.loopback) {
    throw usage_error(
        "there is no token, so the server would be open to all: make one with 'rowrunner tokens "
        "add "
        "--user NAME --role admin', or serve only this machine with --host 127.0.0.1");
  }
  with.log->warn(
      "there is no token: everybody on this machine may do everything here, and no other machine "
      "is served; 'rowrunner tokens add' ends that");
}

asio::awaitable<void> stop_on_signal(asio::signal_set& signals, server& listening) {
  for (;;) {
    co_await signals.async_wait(asio::use_awaitable);
    listening.stop();
  }
}

asio::awaitable<void> run(services& with, asio::io_context& io, tcp::endpoint at,
                          const serve_options& options) {
  co_await check_pooler(with, options);
  co_await check_start(with, at, options.own_routes);
  server listening(with, io.get_executor(), at);
  asio::signal_set signals(io, SIGTERM, SIGINT);
  asio::co_spawn(io, stop_on_signal(signals, listening), asio::detached);
  asio::co_spawn(io, watch_database(with), asio::detached);
  if (options.own_routes) {
    asio::co_spawn(io, with.live.run(), asio::detached);
    asio::co_spawn(io, with.operations.run(with), asio::detached);
  }
  with.log->info("listening",
                 {{"url", url_of(listening.address())}, {"connections", with.limits.connections}});
  if (options.on_listening) options.on_listening();
  co_await listening.run();
  with.log->info("stopped");
}

}  // namespace

void serve(const serve_options& options, std::shared_ptr<logger> log) {
  asio::io_context io;
  const auto at = resolve(io, options);
  auto routes = options.own_routes ? all_routes() : std::vector<route>();
  if (options.more_routes) {
    for (auto& each : options.more_routes(io.get_executor())) routes.push_back(std::move(each));
  }
  services with(io.get_executor(), settings_of(options), std::move(log), std::move(routes),
                within_descriptors(options.limits));
  std::exception_ptr failure;
  if (!options.own_routes) with.pages.clear();
  asio::co_spawn(io, run(with, io, at, options), [&](std::exception_ptr thrown) {
    failure = thrown;
    io.stop();
  });
  io.run();
  try {
    if (failure) std::rethrow_exception(failure);
  } catch (const boost::system::system_error& error) {
    throw std::runtime_error(url_of(at) + " cannot be listened on: " + error.code().message());
  }
}

}  // namespace rowrunner::api
