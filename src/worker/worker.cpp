#include <unistd.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <csignal>
#include <cstdlib>
#include <rowrunner/worker.hpp>
#include <thread>

#include "common/uuid.hpp"
#include "queries/engine.hpp"
#include "worker/worker_impl.hpp"

namespace rowrunner {

namespace asio = boost::asio;
using namespace std::chrono_literals;

namespace {

/// The part of the grace period that is kept for releasing jobs and saving the last counters.
constexpr auto reserve = 1'500ms;
constexpr auto forever = std::chrono::steady_clock::time_point::max();
/// How long a handler's statement waits for a lock at a time, as an end does: two that wait would
/// otherwise keep all connections of the handlers from the others.
constexpr std::chrono::milliseconds handler_lock_timeout{1'000};
/// How many threads of a kind may hang before the process must be replaced.
constexpr std::size_t most_hung_per_kind = 16;
constexpr int most_concurrent = 10'000;
constexpr auto longest_timeout = 30 * 24h;
/// The exit code of a process whose engine is stuck; a supervisor starts it again.
constexpr int stuck_exit_code = 70;

bool is_lease(std::chrono::milliseconds time) { return time >= 1s && time <= 24h; }

worker_options checked(worker_options options) {
  const auto require = [](bool fine, const char* what) {
    if (!fine) throw std::invalid_argument(what);
  };
  require(!options.database_url.empty(), "the worker needs a database URL");
  require(is_lease(options.lease), "the lease must be from a second to a day");
  require(options.poll_min > 0ms && options.poll_max >= options.poll_min,
          "the poll interval must be positive and its upper end not below its lower end");
  require(options.shutdown_grace >= 0ms && options.shutdown_grace <= 24h,
          "the shutdown grace period must be from nothing to a day");
  require(options.max_jobs >= 0, "the number of jobs cannot be negative");
  require(options.max_time >= 0ms, "the running time cannot be negative");
  require(options.handler_connections >= 1 && options.handler_connections <= 100,
          "handlers share from 1 to 100 connections");
  require(options.answer_timeout > 0ms && options.answer_timeout <= 24h,
          "the time for an answer of the database must be from more than nothing to a day");
  require(options.vacuum_blocker_alarm >= 0ms,
          "the time of the vacuum blocker alarm cannot be negative");
  if (options.name.empty()) options.name = default_worker_name();
  return options;
}

}  // namespace

std::string default_worker_name() {
  char host[256] = "localhost";
  gethostname(host, sizeof host - 1);
  return std::string{host} + ":" + std::to_string(getpid()) + ":" + uuid_maker{}.next().substr(24);
}

/// Members refer to those above them.
struct worker::impl::parts {
  parts(impl& self, std::size_t threads);

  blocking_pool pool;
  finisher finish;
  executor execute;
  job_writes writes;
  claimer claims;
  queue_loop loop;
  pg::session keeping;
  lease_keeper keeper;
  upkeep rounds;
  watchdog dog;
};

/// A job goes one way: loop, executor, finisher. Each part refers to those above it. One call goes
/// back: `writes` tells the executor that a write of a running job was fenced.
worker::impl::parts::parts(impl& self, std::size_t threads)
    : pool(threads),
      finish(*self.io_, self.ends_, self.leases_, self.lanes_, self.changed_, *self.log_,
             self.options_.name),
      execute(self.io_, pool, finish, self.lanes_, self.changed_),
      writes(self.io_, self.ends_, self.upkeep_, *self.log_,
             [this](const job_ptr& job) { execute.reject(job); }),
      claims(self.claims_, self.leases_, *self.log_, self.options_.name,
             handler_tools{&writes, &pool}),
      loop(*self.io_, self.claims_, claims, execute, finish, self.lanes_, self.options_,
           self.changed_, *self.log_),
      keeping(self.io_->get_executor(), self.keeper_connection()),
      keeper(*self.io_, keeping, self.leases_, execute, *self.log_, self.options_.name,
             self.lanes_),
      rounds(*self.io_, self.upkeep_, self.lanes_, *self.log_, self.options_.name,
             self.options_.vacuum_blocker_alarm),
      dog(std::max<std::chrono::milliseconds>(longest_lease(self.lanes_) * 2, 5s), [&self] {
        self.log_->error("a handler has blocked the worker's thread for too long, leaving",
                         {{"exit_code", stuck_exit_code}});
        std::_Exit(stuck_exit_code);
      }) {}

worker::impl::impl(worker_options options, std::shared_ptr<logger> log)
    : options_(checked(std::move(options))),
      log_(log ? std::move(log) : std::make_shared<logger>(log_level::info, options_.name)),
      io_(std::make_shared<asio::io_context>(1)),
      handlers_(std::make_shared<handler_sessions>(io_->get_executor(), handler_connection(),
                                                   options_.handler_connections)),
      services_(io_->get_executor(), handlers_, log_),
      claims_(io_->get_executor(), connection("claims")),
      ends_(io_->get_executor(), connection("ends")),
      upkeep_(io_->get_executor(), connection("upkeep")),
      changed_(io_->get_executor()) {}

pg::settings worker::impl::connection(const char* purpose) const {
  pg::settings settings;
  settings.url = options_.database_url;
  settings.pooled = options_.pooled;
  settings.system_names_only = true;
  settings.answer_timeout = options_.answer_timeout;
  settings.application_name = std::string{"rowrunner "} + purpose;
  return settings;
}

/// A heartbeat that hangs must leave time for another one on a new connection.
pg::settings worker::impl::keeper_connection() const {
  auto settings = connection("keeper");
  settings.answer_timeout = std::min(settings.answer_timeout, shortest_lease(lanes_) / 3);
  return settings;
}

pg::settings worker::impl::handler_connection() const {
  auto settings = connection("handlers");
  settings.system_names_only = options_.system_names_only;
  settings.lock_timeout = std::min(handler_lock_timeout, settings.answer_timeout / 4);
  return settings;
}

void worker::impl::add(kind_options options, any_handler handler) {
  if (options.max_concurrent < 1 || options.max_concurrent > most_concurrent) {
    throw std::invalid_argument("max_concurrent of kind " + options.kind + " must be from 1 to " +
                                std::to_string(most_concurrent));
  }
  if (options.timeout < 0ms || options.timeout > longest_timeout) {
    throw std::invalid_argument("the timeout of kind " + options.kind +
                                " must be from nothing (no limit) to 30 days");
  }
  if (options.lease == 0ms) options.lease = options_.lease;
  if (!is_lease(options.lease)) {
    throw std::invalid_argument("the lease of kind " + options.kind +
                                " must be from a second to a day");
  }
  for (const auto& lane : lanes_) {
    if (lane->options.kind == options.kind) {
      throw std::invalid_argument("kind " + options.kind + " has a handler already");
    }
  }
  lanes_.push_back(std::make_unique<lane>(std::move(options), std::move(handler)));
}

void worker::impl::run() {
  if (lanes_.empty()) throw std::invalid_argument("the worker has no kind to serve");
  std::exception_ptr failure;
  asio::co_spawn(*io_, main(), [&](const std::exception_ptr& thrown) {
    if (!failure) failure = thrown;
    io_->stop();
  });
  try {
    io_->run();
  } catch (...) {
    failure = std::current_exception();
    leave_in_order();
  }
  parts_.reset();
  if (failure) std::rethrow_exception(failure);
}

/// Threads of the pool may wait for the engine, or to be told to stop, and the pool waits for them:
/// so the engine goes on until the worker is shut down, or for as long as that may take.
void worker::impl::leave_in_order() {
  if (!parts_) return;
  request_stop("the engine has failed");
  request_stop("the engine has failed");
  const auto deadline = std::chrono::steady_clock::now() + options_.shutdown_grace + reserve;
  while (!io_->stopped() && std::chrono::steady_clock::now() < deadline) {
    try {
      io_->run_until(deadline);
    } catch (...) {
      log_->error("the engine has failed again");
    }
  }
  parts_->pool.abandon_all();
}

asio::awaitable<void> worker::impl::main() {
  co_await start();
  // Caught before the log says that the worker has started: a supervisor that reads the line may
  // send SIGTERM at once.
  auto signals = std::make_unique<asio::signal_set>(*io_, SIGTERM, SIGINT);
  std::string kinds;
  for (const auto& lane : lanes_) kinds += (kinds.empty() ? "" : ", ") + lane->kind.kind;
  log_->info("worker started", {{"kinds", kinds}, {"drain", options_.drain}});
  spawn(parts_->keeper.keep());
  spawn(parts_->keeper.guard_deadlines());
  spawn(parts_->rounds.run());
  spawn(stop_on_signal(std::move(signals)));
  spawn(beat());
  if (options_.max_time > 0ms) spawn(stop_after(options_.max_time));
  spawn(parts_->finish.run());
  if (stop_requests_ > 0) parts_->loop.stop();  // asked for before there was a loop
  // Beside this coroutine and not in it: a stop must count from when it was asked for, also while
  // the loop waits for a database that does not answer.
  asio::co_spawn(*io_, parts_->loop.run(), [this](const std::exception_ptr& thrown) {
    if (thrown) std::rethrow_exception(thrown);
    loop_ended_ = true;
    changed_.for_worker.set();
  });
  co_await wait_until([this] { return loop_ended_ || stop_requests_ > 0; }, forever);
  if (options_.drain) co_await tidy_up();
  co_await shut_down();
}

/// The parts below live as long as the process serves; an exception that leaves one is a bug and
/// must not go unseen, so it leaves run() too.
void worker::impl::spawn(asio::awaitable<void> part) {
  asio::co_spawn(*io_, std::move(part), [](const std::exception_ptr& thrown) {
    if (thrown) std::rethrow_exception(thrown);
  });
}

asio::awaitable<void> worker::impl::start() {
  if (!options_.pooled) co_await check_pooler();
  co_await check_schema();
  co_await open_lanes();
  if (!options_.pooled) claims_.on_connect(std::vector(1, queries::listen.statement()));
  claims_.close();  // the next use connects again, and listens
  build_parts();
  co_await parts_->rounds.begin();
}

void worker::impl::build_parts() {
  std::size_t threads = 2 * std::max(1U, std::thread::hardware_concurrency());
  for (const auto& lane : lanes_) {
    if (std::holds_alternative<blocking_handler>(lane->handler)) {
      threads += static_cast<std::size_t>(lane->options.max_concurrent);
    }
  }
  parts_ = std::make_unique<parts>(*this, threads);
}

void worker::impl::stop() {
  asio::post(*io_, [this] { request_stop("asked to stop"); });
}

void worker::impl::request_stop(const char* why) {
  ++stop_requests_;
  log_->info(stop_requests_ == 1 ? "stopping" : "stopping now", {{"reason", why}});
  if (parts_) parts_->loop.stop();
  changed_.for_worker.set();
}

asio::awaitable<void> worker::impl::stop_on_signal(std::unique_ptr<asio::signal_set> signals) {
  for (;;) {
    const int number = co_await signals->async_wait(asio::use_awaitable);
    request_stop(number == SIGTERM ? "SIGTERM" : "SIGINT");
  }
}

asio::awaitable<void> worker::impl::stop_after(std::chrono::milliseconds time) {
  asio::steady_timer timer(*io_, time);
  co_await timer.async_wait(asio::use_awaitable);
  request_stop("the running time is up");
}

asio::awaitable<void> worker::impl::beat() {
  asio::steady_timer timer(*io_);
  for (;;) {
    parts_->dog.beat();
    if (parts_->pool.hung() > lanes_.size() * most_hung_per_kind && stop_requests_ == 0) {
      request_stop("too many handlers hang; the process must be started anew");
    }
    timer.expires_after(200ms);
    co_await timer.async_wait(asio::use_awaitable);
  }
}

asio::awaitable<void> worker::impl::wait_until(std::function<bool()> done,
                                               std::chrono::steady_clock::time_point deadline) {
  for (auto now = std::chrono::steady_clock::now(); !done() && now < deadline;
       now = std::chrono::steady_clock::now()) {
    co_await changed_.for_worker.wait_for(deadline - now);
  }
}

/// First the running jobs get their time, then they are told to stop and go back uncharged. What
/// cannot be written in time is left to the rescue.
asio::awaitable<void> worker::impl::shut_down() {
  const auto begun = std::chrono::steady_clock::now();
  parts_->loop.stop();
  co_await wait_until(
      [this] { return parts_->execute.idle() || stop_requests_ > 1; },
      begun + std::max<std::chrono::milliseconds>(0ms, options_.shutdown_grace - reserve));
  parts_->execute.stop_all(stop_reason::shutdown, "the worker stops");
  // The executor abandons what does not stop, so this ends.
  co_await wait_until([this] { return parts_->execute.idle(); }, forever);
  const auto last_moment =
      std::max(begun + options_.shutdown_grace - 200ms, std::chrono::steady_clock::now() + 300ms);
  // A claim that is under way gives its jobs back when its answer comes.
  co_await wait_until([this] { return loop_ended_; }, last_moment);
  parts_->finish.close();
  co_await wait_until([this] { return parts_->finish.ended(); }, last_moment);
  co_await deregister(last_moment);
  const auto sum = counts();
  log_->info("worker stopped", {{"succeeded", sum.succeeded},
                                {"failed", sum.failed},
                                {"retried", sum.retried},
                                {"released", sum.released},
                                {"refused", sum.refused},
                                {"unwritten", parts_->finish.pending()}});
}

/// A worker that drains, as from cron, may end before any round of upkeep is due. A stop does not
/// wait for it.
asio::awaitable<void> worker::impl::tidy_up() {
  asio::co_spawn(*io_, parts_->rounds.pass([this] { return stop_requests_ > 0; }),
                 [this](const std::exception_ptr& thrown) {
                   if (thrown) std::rethrow_exception(thrown);
                   tidied_up_ = true;
                   changed_.for_worker.set();
                 });
  co_await wait_until([this] { return tidied_up_ || stop_requests_ > 0; }, forever);
}

/// The last counters are worth a little time, not more; a statement that hangs is left behind.
asio::awaitable<void> worker::impl::deregister(std::chrono::steady_clock::time_point deadline) {
  asio::co_spawn(*io_, parts_->rounds.end(), [this](const std::exception_ptr& thrown) {
    if (thrown) log_->warn("the last counters were not saved");
    deregistered_ = true;
    changed_.for_worker.set();
  });
  // Lambdas inside of a co_await may capture only what is trivially copied: g++ 12 destroys them
  // twice.
  co_await wait_until([this] { return deregistered_; }, deadline);
}

worker_counts worker::impl::counts() const {
  worker_counts sum;
  for (const auto& lane : lanes_) {
    for (const auto count :
         {&worker_counts::claimed, &worker_counts::succeeded, &worker_counts::failed,
          &worker_counts::retried, &worker_counts::rescued, &worker_counts::released,
          &worker_counts::cancelled, &worker_counts::refused}) {
      sum.*count += lane->counts.total().*count;
    }
  }
  return sum;
}

worker_measures worker::impl::measures() const {
  worker_measures out;
  for (const auto& lane : lanes_) {
    const auto& jobs = lane->jobs;
    out.kinds.push_back({lane->options.kind, lane->counts.total(), lane->times, jobs.slots(),
                         static_cast<int>(jobs.running().size())});
  }
  out.reconnects =
      claims_.reconnects() + ends_.reconnects() + upkeep_.reconnects() + handlers_->reconnects();
  if (parts_) {
    out.finishes = parts_->finish.times();
    out.reconnects += parts_->keeping.reconnects();
  }
  return out;
}

worker::worker(worker_options options, std::shared_ptr<logger> log)
    : impl_(std::make_unique<impl>(std::move(options), std::move(log))) {}
worker::~worker() = default;

void worker::add(kind_options options, coroutine_handler handler) {
  impl_->add(std::move(options), std::move(handler));
}
void worker::add_blocking(kind_options options, blocking_handler handler) {
  impl_->add(std::move(options), std::move(handler));
}
void worker::run() { impl_->run(); }
void worker::stop() { impl_->stop(); }
worker_counts worker::counts() const { return impl_->counts(); }
worker_measures worker::measures() const { return impl_->measures(); }
services& worker::handler_services() const { return impl_->handler_services(); }

}  // namespace rowrunner
