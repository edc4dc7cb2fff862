#include "worker/lease_keeper.hpp"

#include <algorithm>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "common/pg/array.hpp"
#include "common/pg/error.hpp"
#include "queries/engine.hpp"

namespace rowrunner {

namespace asio = boost::asio;

namespace {

std::vector<std::int64_t> leases_in(const pg::result& answer) {
  std::vector<std::int64_t> leases;
  leases.reserve(static_cast<std::size_t>(answer.rows()));
  for (int row = 0; row < answer.rows(); ++row) leases.push_back(answer.get_int(row, 0));
  return leases;
}

}  // namespace

lease_keeper::lease_keeper(asio::io_context& io, pg::session& session, lease_book& leases,
                           executor& execute, logger& log, std::string worker_name,
                           const lane_list& lanes)
    : io_(io),
      session_(session),
      leases_(leases),
      execute_(execute),
      log_(log),
      worker_name_(std::move(worker_name)),
      lanes_(lanes),
      shortest_(shortest_lease(lanes)),
      heartbeat_(queries::heartbeat.statement()),
      heartbeat_at_end_(queries::heartbeat_at_end.statement()),
      cancel_requests_(queries::cancel_requests.statement()) {}

asio::awaitable<void> lease_keeper::keep() {
  // Often enough for a cancellation to arrive within two seconds, and for a heartbeat that fails to
  // be tried again several times before the lease ends.
  const auto pause = std::min<std::chrono::milliseconds>(std::chrono::seconds{1}, shortest_ / 6);
  asio::steady_timer timer(io_);
  for (;;) {
    timer.expires_after(pause);
    co_await timer.async_wait(asio::use_awaitable);
    co_await beat();
  }
}

asio::awaitable<void> lease_keeper::beat() {
  try {
    co_await tick();
  } catch (const pg::error& e) {
    log_.warn("heartbeat failed", {{"reason", e.what()}});
  }
}

asio::awaitable<void> lease_keeper::tick() {
  const auto sent = lease_book::clock::now();
  const auto leases = leases_.to_extend();
  const auto at_end = leases_.being_ended();
  const bool beat = leases_.heartbeat_due(sent);
  if (leases.empty() && (at_end.empty() || !beat)) co_return;
  auto calls = pg::together(pg::with(cancel_requests_, pg::array(leases)));
  if (beat) {
    calls.push_back(extension(heartbeat_, leases));
    calls.push_back(extension(heartbeat_at_end_, at_end));
  }
  const auto answers = co_await session_.run(std::move(calls));
  pass_on_cancellations(answers.front());
  if (!beat) co_return;
  leases_.extended_at_their_end(leases_in(answers[2]), sent);
  lose(leases_.extended(leases, leases_in(answers[1]), sent), "the lease was taken over");
}

pg::call lease_keeper::extension(const pg::statement& statement,
                                 const std::vector<std::int64_t>& leases) const {
  std::vector<std::int64_t> kinds, lengths;
  for (const auto& lane : lanes_) {
    kinds.push_back(lane->kind.id);
    lengths.push_back(lane->options.lease.count());
  }
  return pg::with(statement, pg::array(leases), worker_name_, pg::array(kinds), pg::array(lengths));
}

asio::awaitable<void> lease_keeper::guard_deadlines() {
  asio::steady_timer timer(io_);
  for (;;) {
    timer.expires_after(
        std::min<std::chrono::milliseconds>(std::chrono::milliseconds{200}, shortest_ / 20));
    co_await timer.async_wait(asio::use_awaitable);
    lose(leases_.running_out(lease_book::clock::now()),
         "no heartbeat came through before the lease ended");
  }
}

void lease_keeper::lose(const std::vector<std::int64_t>& leases, const char* why) {
  for (const auto lease : leases) {
    log_.warn("lease lost", {{"lease", lease}, {"reason", why}});
    execute_.lose(lease, why);
  }
}

void lease_keeper::pass_on_cancellations(const pg::result& requests) {
  for (int row = 0; row < requests.rows(); ++row) {
    execute_.cancel(requests.get_int(row, 0), requests.get(row, 1),
                    std::string{requests.get(row, 2)});
  }
}

}  // namespace rowrunner
