#include "worker/loop.hpp"

#include <algorithm>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include "common/pg/array.hpp"
#include "common/pg/backoff.hpp"
#include "common/pg/error.hpp"
#include "queries/engine.hpp"
#include "queries/session.hpp"

namespace rowrunner {

namespace asio = boost::asio;
using namespace std::chrono_literals;

namespace {

/// While so many outcomes wait to be written, nothing more is claimed: the database is behind.
constexpr std::size_t most_unwritten = 10'000;
}  // namespace

line_loop::line_loop(asio::io_context& io, pg::session& session, claimer& claims,
                     std::vector<std::unique_ptr<lane>>& lanes, const worker_options& options,
                     logger& log, hooks do_this)
    : io_(io),
      session_(session),
      claims_(claims),
      lanes_(lanes),
      options_(options),
      log_(log),
      do_(std::move(do_this)),
      changed_(io.get_executor()),
      peek_(queries::peek.statement()),
      arm_(queries::arm.statement()),
      rescue_(queries::rescue.statement()),
      move_due_(queries::move_due.statement()),
      fire_joins_(queries::fire_joins.statement()),
      lock_timeout_(queries::lock_timeout.statement()) {}

void line_loop::stop() {
  stopping_ = true;
  changed_.set();
}

asio::awaitable<void> line_loop::run() {
  pg::backoff backoff;
  while (!stopping_) {
    std::string trouble;
    try {
      give_back_stuck();
      // Before the claims, which may fail for long; and before the look, which might take it for
      // what a lost worker has left behind.
      co_await claims_.abandon_doubtful();
      const bool worked = co_await claim_where_wanted();
      co_await claims_.abandon_doubtful();
      if (!stopping_ && clock::now() >= next_watch_) co_await watch();
      backoff.reset();
      if (finished()) {
        report_left_behind();
        co_return;
      }
      if (!worked && !stopping_) co_await wait();
    } catch (const pg::error& e) {
      trouble = e.what();
    }
    if (!trouble.empty() && !stopping_) {
      const auto pause = backoff.next(rng_);
      log_.warn("the database does not answer, trying again",
                {{"reason", trouble}, {"pause_ms", pause.count()}});
      armed_ = false;
      next_watch_ = {};
      co_await changed_.wait_for(pause);
    }
  }
}

/// What waits here behind jobs that are longer than those before them goes back to the line, where
/// others may be idle.
void line_loop::give_back_stuck() {
  for (auto& home : lanes_) {
    if (!home->stuck(clock::now())) continue;
    log_.debug("jobs are given back: those before them take long",
               {{"kind", home->kind.kind}, {"jobs", home->ready.size()}});
    home->size.disproved();
    home->not_started += static_cast<std::int64_t>(home->ready.size());
    for (auto& job : std::exchange(home->ready, {})) do_.give_back(job);
  }
}

asio::awaitable<bool> line_loop::claim_where_wanted() {
  bool found = false;
  for (auto& home : lanes_) {
    const int n = wanted(*home);
    if (n <= 0 || stopping_) continue;
    try {
      if (co_await claim_for(*home, n)) found = true;
      home->claims.reset();
    } catch (const pg::query_error& e) {
      back_off(*home, home->claims, "a claim failed", e);
    }
  }
  co_return found;
}

/// What the server refuses for one kind is that kind's trouble; if the connection is the trouble,
/// it is everyone's.
void line_loop::back_off(lane& home, lane_backoff& tries, const char* what,
                         const pg::query_error& failure) {
  if (pg::classify(failure.sqlstate()) == pg::error_class::connection) throw failure;
  const auto now = clock::now();
  tries.failed(now);
  const auto pause = std::chrono::ceil<std::chrono::milliseconds>(tries.until() - now);
  log_.warn(what, {{"kind", home.kind.kind},
                   {"reason", failure.what()},
                   {"detail", failure.detail()},
                   {"pause_ms", pause.count()}});
}

int line_loop::wanted(const lane& home) const {
  if (home.asleep || home.paused || clock::now() < home.next_claim()) return 0;
  if (do_.unwritten() > most_unwritten) return 0;
  const int n =
      home.size.wanted(home.free_slots(), static_cast<int>(home.ready.size()) + home.arriving);
  return static_cast<int>(std::min<std::int64_t>(n, jobs_left()));
}

std::int64_t line_loop::jobs_left() const {
  if (options_.max_jobs == 0) return std::numeric_limits<int>::max();
  std::int64_t claimed = 0;
  for (const auto& home : lanes_) claimed += home->total.claimed - home->not_started;
  return std::max<std::int64_t>(0, options_.max_jobs - claimed);
}

asio::awaitable<bool> line_loop::claim_for(lane& home, int at_most) {
  auto got = co_await claims_.claim(home, at_most);
  const auto now = clock::now();
  if (got.seen > 0) home.found_jobs();
  if (got.seen == at_most) home.size.filled(at_most);
  if (home.idle()) home.size.resumed(now);
  if (got.seen < got.asked && got.from_front) home.found_all(got.seen, now);
  // A drain has no use for what comes later.
  if (got.seen == 0 && got.from_front && options_.drain) home.asleep = true;
  home.walked({.jobs = got.jobs,
               .from_front = got.from_front,
               .to_the_end = got.seen < got.asked,
               .maybe_locked = got.maybe_locked || (got.seen == 0 && home.entry_seen)},
              now);
  home.entry_seen = false;
  if (home.asleep) next_watch_ = now;
  // Behind the cursor nothing was left: the front is worth a look before any wait.
  const bool found = got.seen > 0 || !got.from_front;
  if (got.jobs > 0) {
    // Later, so that the next claim is on its way before, and the server need not wait for it.
    home.arriving += got.jobs;
    asio::post(io_, [this, &home, got = std::move(got)] { take_in(home, got); });
  }
  co_return found;
}

void line_loop::take_in(lane& home, const claimed& got) {
  home.arriving -= got.jobs;
  if (home.ready.empty()) home.moved = clock::now();
  for (auto& job : claims_.read(home, got)) {
    if (stopping_) {
      do_.give_back(job);
    } else {
      home.ready.push_back(std::move(job));
    }
  }
  if (stopping_) return;
  pump(home);
  // The loop may be waiting already: for how long depends on what is ready.
  changed_.set();
}

/// Starts what is ready. A handler that never waits may end before start() returns and free its
/// slot again: slot_freed() leaves that to this loop, or they would call each other ever deeper.
void line_loop::pump(lane& home) {
  home.pumping = true;
  bool started = false;
  for (; home.free_slots() > 0 && !home.ready.empty(); started = true) {
    auto job = std::move(home.ready.front());
    home.ready.pop_front();
    home.running.insert(job);
    do_.start(job);
  }
  home.pumping = false;
  if (!started && home.ended == 0) return;
  const auto now = clock::now();
  if (started) home.moved = now;
  if (home.ended > 0)
    home.size.ended(std::exchange(home.ended, 0), home.options.max_concurrent, now);
}

void line_loop::slot_freed(lane& home) {
  ++home.ended;
  if (stopping_ || home.pumping) return;
  pump(home);
  if (wanted(home) > 0) changed_.set();
}

void line_loop::outcomes_written() {
  // A retry at once is due again. Whoever sleeps is woken for it by the trigger, but a drain must
  // not end on what it saw before.
  nothing_due_ = false;
  if (options_.drain) next_watch_ = {};
  changed_.set();
}

asio::awaitable<void> line_loop::wait() {
  using namespace asio::experimental::awaitable_operators;
  const auto now = clock::now();
  auto until = next_watch_;
  for (const auto& home : lanes_) {
    // Its time came since the claims were made: a wait would last until the next poll.
    if (wanted(*home) > 0) co_return;
    if (!home->ready.empty()) until = std::min(until, home->moved + home->longest_stop());
    if (home->asleep || home->paused || home->next_claim() <= now) continue;
    if (home->free_slots() > 0) until = std::min(until, home->next_claim());
  }
  if (until <= now) co_return;
  const auto pause = std::chrono::ceil<std::chrono::milliseconds>(until - now);
  if (options_.pooled) {
    co_await changed_.wait_for(pause);
    co_return;
  }
  co_await (session_.wait_notification(pause) || changed_.wait_for(pause));
  for (const auto& heard : session_.take_notifications()) {
    armed_ = false;
    for (auto& home : lanes_) {
      if (home->kind.kind == heard.payload) home->wake();
    }
    // Whoever enqueued has disarmed the flag for all of us.
    if (anyone_asleep()) next_watch_ = {};
  }
}

bool line_loop::anyone_asleep() const {
  return std::any_of(lanes_.begin(), lanes_.end(),
                     [](const auto& home) { return home->asleep && !home->paused; });
}

bool line_loop::finished() const {
  const bool all_idle =
      std::all_of(lanes_.begin(), lanes_.end(), [](const auto& home) { return home->idle(); });
  if (!all_idle || do_.unwritten() > 0) return false;
  if (jobs_left() == 0) return true;
  const bool nobody_looks = std::all_of(lanes_.begin(), lanes_.end(), [](const auto& home) {
    return home->asleep || home->paused || home->claims.hopeless();
  });
  return options_.drain && nobody_looks && nothing_due_;
}

/// A drain does not wait for what others have locked, nor for a kind that cannot be claimed.
void line_loop::report_left_behind() const {
  for (const auto& home : lanes_) {
    const char* reason = home->claims.hopeless()   ? "its claims fail"
                         : home->locked.hopeless() ? "other sessions have locked them"
                         : home->orphans_locked
                             ? "jobs of lost workers, which other sessions have locked"
                         : home->rescues.hopeless() ? "jobs of lost workers cannot be taken back"
                         : home->moves.hopeless()   ? "delayed jobs cannot be moved"
                         : home->polls.hopeless()   ? "its polls fail"
                                                    : nullptr;
    if (reason == nullptr || jobs_left() == 0) continue;
    log_.warn("jobs that are due were left behind",
              {{"kind", home->kind.kind}, {"reason", reason}});
  }
}

std::chrono::milliseconds line_loop::poll_pause() {
  std::uniform_int_distribution<std::int64_t> between(options_.poll_min.count(),
                                                      options_.poll_max.count());
  return std::chrono::milliseconds{between(rng_)};
}

}  // namespace rowrunner
