#include "api/server.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <exception>

#include "api/connection.hpp"
#include "api/services.hpp"

namespace rowrunner::api {
namespace {

using asio::ip::tcp;

constexpr auto tuple = asio::as_tuple(asio::use_awaitable);
/// After the system had no descriptor or memory for a connection.
constexpr std::chrono::milliseconds pause{100};

asio::awaitable<void> run_connection(std::shared_ptr<connection> one) { co_await one->run(); }

}  // namespace

server::server(services& with, const asio::any_io_executor& executor, const tcp::endpoint& at)
    : with_(with),
      executor_(executor),
      acceptor_(executor, at),
      slots_(with.limits.connections, with.limits.spare_connections),
      changed_(executor) {}

server::~server() = default;

void server::start(tcp::socket socket) {
  const auto id = next_id_++;
  const auto decided = slots_.admit(id);
  if (decided.cut) connections_.at(*decided.cut)->cut();
  const auto one = std::make_shared<connection>(with_, std::move(socket), decided.spare);
  connections_.emplace(id, one);
  asio::co_spawn(executor_, run_connection(one), [this, id](std::exception_ptr failure) {
    connections_.erase(id);
    slots_.leave(id);
    changed_.set();
    try {
      if (failure) std::rethrow_exception(failure);
    } catch (const std::exception& error) {
      with_.log->error("a connection failed", {{"error", error.what()}});
    }
  });
}

asio::awaitable<void> server::accept() {
  asio::steady_timer timer(executor_);
  while (acceptor_.is_open()) {
    auto [error, socket] = co_await acceptor_.async_accept(tuple);
    if (!error) {
      start(std::move(socket));
    } else if (acceptor_.is_open()) {
      with_.log->warn("a connection could not be accepted", {{"error", error.message()}});
      timer.expires_after(pause);
      co_await timer.async_wait(tuple);
    }
  }
}

void server::stop() {
  with_.log->info(++stops_ == 1 ? "stopping" : "stopping now",
                  {{"connections", connections_.size()}});
  acceptor_.close();
  for (const auto& [id, each] : connections_) each->stop();
  changed_.set();
}

asio::awaitable<void> server::run() {
  co_await accept();
  const auto deadline = std::chrono::steady_clock::now() + with_.limits.grace;
  const auto now = [] { return std::chrono::steady_clock::now(); };
  while (!connections_.empty() && stops_ < 2 && now() < deadline) {
    co_await changed_.wait_for(deadline - now());
  }
  if (connections_.empty()) co_return;
  with_.log->warn("requests were cut off", {{"connections", connections_.size()}});
  for (const auto& [id, each] : connections_) each->cut();
}

}  // namespace rowrunner::api
