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
                           std::vector<std::unique_ptr<lane>>& lanes, logger& log,
                           std::string worker_name, std::chrono::milliseconds lease,
                           stop_callback stop)
    : io_(io),
      session_(session),
      leases_(leases),
      lanes_(lanes),
      log_(log),
      worker_name_(std::move(worker_name)),
      lease_(lease),
      stop_(std::move(stop)),
      heartbeat_(queries::heartbeat.statement()),
      heartbeat_at_end_(queries::heartbeat_at_end.statement()),
      cancel_requests_(queries::cancel_requests.statement()) {}

asio::awaitable<void> lease_keeper::keep() {
  // Often enough for a cancellation to arrive within two seconds, and for a heartbeat that fails to
  // be tried again several times before the lease ends.
  const auto pause = std::min<std::chrono::milliseconds>(std::chrono::seconds{1}, lease_ / 6);
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
  const auto ending = leases_.being_ended();
  const bool beat = leases_.heartbeat_due(sent);
  if (leases.empty() && (ending.empty() || !beat)) co_return;
  const auto list = pg::array(leases);
  auto calls = pg::together(pg::with(cancel_requests_, list));
  if (beat) {
    const auto time = std::to_string(lease_.count());
    calls.push_back(pg::with(heartbeat_, list, worker_name_, time));
    calls.push_back(pg::with(heartbeat_at_end_, pg::array(ending), worker_name_, time));
  }
  const auto answers = co_await session_.run(std::move(calls));
  pass_on_cancellations(answers.front());
  if (!beat) co_return;
  leases_.extended_at_their_end(leases_in(answers[2]), sent);
  stop_all_under(leases_.extended(leases, leases_in(answers[1]), sent), "the lease was taken over");
}

asio::awaitable<void> lease_keeper::guard_deadlines() {
  asio::steady_timer timer(io_);
  for (;;) {
    timer.expires_after(
        std::min<std::chrono::milliseconds>(std::chrono::milliseconds{200}, lease_ / 20));
    co_await timer.async_wait(asio::use_awaitable);
    stop_all_under(leases_.running_out(lease_book::clock::now()),
                   "no heartbeat came through before the lease ended");
  }
}

void lease_keeper::stop_all_under(const std::vector<std::int64_t>& leases, const char* why) {
  for (const auto lease : leases) {
    log_.warn("lease lost", {{"lease", lease}, {"reason", why}});
    for (auto& lane : lanes_) {
      const auto under = [&](const job_ptr& job) { return job->lease == lease; };
      std::vector<job_ptr> stopped;
      std::copy_if(lane->running.begin(), lane->running.end(), std::back_inserter(stopped), under);
      for (const auto& job : stopped) stop_(job, stop_reason::lease_lost, why);
      // Jobs that have not started are not this worker's any more.
      const auto gone = std::erase_if(lane->ready, under);
      lane->count(&worker_counts::refused, static_cast<std::int64_t>(gone));
      if (gone > 0) leases_.forget(lease);
    }
  }
}

void lease_keeper::pass_on_cancellations(const pg::result& requests) {
  for (int row = 0; row < requests.rows(); ++row) {
    const auto lease = requests.get_int(row, 0);
    const auto id = requests.get(row, 1);
    for (auto& lane : lanes_) {
      const auto found =
          std::find_if(lane->running.begin(), lane->running.end(),
                       [&](const job_ptr& job) { return job->lease == lease && job->id == id; });
      if (found != lane->running.end()) {
        stop_(*found, stop_reason::cancelled, std::string{requests.get(row, 2)});
      }
    }
  }
}

}  // namespace rowrunner
