#include "health/worker_health.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "api/ask.hpp"
#include "api/metrics.hpp"
#include "api/routes.hpp"
#include "api/server.hpp"
#include "common/schema/schema_version.hpp"
#include "health/worker_metrics.hpp"
#include "queries/engine.hpp"

namespace rowrunner {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

/// Those of health, and the metrics of this worker: everything else is for `rowrunner serve`.
std::vector<api::route> routes_of(const std::shared_ptr<measures_board>& board) {
  auto all = api::all_routes();
  std::erase_if(all, [](const api::route& each) { return !each.always; });
  auto show = [board](api::services&, const api::request&) -> asio::awaitable<api::answer> {
    exposition out;
    add_metrics(out, board->get());
    co_return api::metrics_answer(out);
  };
  all.push_back({.method = api::http::verb::get,
                 .path = "/metrics",
                 .who = api::access::anyone,
                 .run = std::move(show),
                 .summary = "Metrics of this worker for Prometheus"});
  return all;
}

/// As many as probes need.
api::server_limits few() {
  api::server_limits out;
  out.connections = 32;
  out.spare_connections = 8;
  return out;
}

// A failure of the statement itself is no answer.
asio::awaitable<void> ask_once(api::services& with) {
  const auto statement = queries::schema_info.statement();
  try {
    const auto row = co_await api::ask_database(with, pg::with(statement));
    const auto version = static_cast<int>(row.get_int(0, 0));
    const auto oldest = static_cast<int>(row.get_int(0, 1));
    with.watch.answered(api::database_watch::clock::now(),
                        schema_refusal(version, oldest, binary_schema_version()));
  } catch (const pg::error& error) {
    with.log->debug("the health check got no answer", {{"error", error.what()}});
  }
}

asio::awaitable<void> watch_schema(api::services& with) {
  asio::steady_timer timer(co_await asio::this_coro::executor);
  for (;;) {
    co_await ask_once(with);
    timer.expires_after(std::chrono::seconds(2));
    co_await timer.async_wait(asio::use_awaitable);
  }
}

asio::awaitable<void> beat(const worker& of, std::shared_ptr<loop_pulse> pulse,
                           std::shared_ptr<measures_board> board) {
  asio::steady_timer timer(co_await asio::this_coro::executor);
  for (;;) {
    pulse->beat(loop_pulse::clock::now());
    board->put(of.measures());
    timer.expires_after(std::chrono::seconds(1));
    co_await timer.async_wait(asio::use_awaitable);
  }
}

}  // namespace

std::optional<std::string> loop_pulse::problem(clock::time_point now) const {
  const clock::time_point last{clock::duration(last_.load())};
  if (now - last <= patience) return std::nullopt;
  return "the loop of the worker has not run in the last 10 seconds: does a handler block it?";
}

void measures_board::put(worker_measures newest) {
  const std::lock_guard lock(mutex_);
  newest_ = std::move(newest);
}

worker_measures measures_board::get() const {
  const std::lock_guard lock(mutex_);
  return newest_;
}

struct worker_health::parts {
  parts(asio::io_context& io, const pg::settings& database, std::shared_ptr<logger> log, int port,
        const std::shared_ptr<measures_board>& board)
      : with(io.get_executor(), database, std::move(log), routes_of(board), few()),
        listening(with, io.get_executor(),
                  tcp::endpoint(tcp::v4(), static_cast<std::uint16_t>(port))) {}

  api::services with;
  api::server listening;
};

worker_health::worker_health(int port, const pg::settings& database, std::shared_ptr<logger> log)
    : pulse_(std::make_shared<loop_pulse>()), board_(std::make_shared<measures_board>()) {
  try {
    parts_ = std::make_unique<parts>(io_, database, log, port, board_);
  } catch (const boost::system::system_error& error) {
    throw std::runtime_error("--health-port " + std::to_string(port) +
                             " cannot be listened on: " + error.code().message());
  }
  parts_->with.also_needed = [pulse = pulse_] { return pulse->problem(loop_pulse::clock::now()); };
  asio::co_spawn(io_, watch_schema(parts_->with), asio::detached);
  asio::co_spawn(io_, parts_->listening.run(), asio::detached);
  log->info("health", {{"port", parts_->listening.address().port()}});
  thread_ = std::thread([this] { io_.run(); });
}

worker_health::~worker_health() {
  io_.stop();
  thread_.join();
}

void worker_health::watch(const worker& of) {
  asio::co_spawn(of.handler_services().executor(), beat(of, pulse_, board_), asio::detached);
}

}  // namespace rowrunner
