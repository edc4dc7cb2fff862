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

queue_loop::queue_loop(asio::io_context& io, pg::session& session, claimer& claims,
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
      lock_timeout_(queries::lock_timeout.statement()) {}

void queue_loop::stop() {
  stopping_ = true;
  changed_.set();
}

asio::awaitable<void> queue_loop::run() {
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
      if (!stopping_ && clock::now() >= next_poll_) co_await watch();
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
      next_poll_ = {};
      co_await changed_.wait_for(pause);
    }
  }
}

/// What waits here behind jobs that are longer than those before them goes back to the line, where
/// others may be idle.
void queue_loop::give_back_stuck() {
  for (auto& lane : lanes_) {
    if (!lane->stuck(clock::now())) continue;
    log_.debug("jobs are given back: those before them take long",
               {{"kind", lane->kind.kind}, {"jobs", lane->ready.size()}});
    lane->size.disproved();
    lane->not_started += static_cast<std::int64_t>(lane->ready.size());
    for (auto& job : std::exchange(lane->ready, {})) do_.give_back(job);
  }
}

asio::awaitable<bool> queue_loop::claim_where_wanted() {
  bool found = false;
  for (auto& lane : lanes_) {
    const int n = wanted(*lane);
    if (n <= 0 || stopping_) continue;
    try {
      if (co_await claim_for(*lane, n)) found = true;
      lane->claims.reset();
    } catch (const pg::query_error& e) {
      back_off(*lane, lane->claims, "a claim failed", e);
    }
  }
  co_return found;
}

/// What the server refuses for one kind is that kind's trouble; if the connection is the trouble,
/// it is everyone's.
void queue_loop::back_off(lane& lane, lane_backoff& tries, const char* what,
                          const pg::query_error& failure) {
  if (pg::classify(failure.sqlstate()) == pg::error_class::connection) throw failure;
  const auto now = clock::now();
  tries.failed(now);
  const auto pause = std::chrono::ceil<std::chrono::milliseconds>(tries.until() - now);
  log_.warn(what, {{"kind", lane.kind.kind},
                   {"reason", failure.what()},
                   {"detail", failure.detail()},
                   {"pause_ms", pause.count()}});
}

int queue_loop::wanted(const lane& lane) const {
  if (lane.asleep || lane.paused || clock::now() < lane.next_claim()) return 0;
  if (do_.unwritten() > most_unwritten) return 0;
  const int n =
      lane.size.wanted(lane.free_slots(), static_cast<int>(lane.ready.size()) + lane.arriving);
  return static_cast<int>(std::min<std::int64_t>(n, jobs_left()));
}

std::int64_t queue_loop::jobs_left() const {
  if (options_.max_jobs == 0) return std::numeric_limits<int>::max();
  std::int64_t claimed = 0;
  for (const auto& lane : lanes_) claimed += lane->total.claimed - lane->not_started;
  return std::max<std::int64_t>(0, options_.max_jobs - claimed);
}

asio::awaitable<bool> queue_loop::claim_for(lane& lane, int at_most) {
  auto got = co_await claims_.claim(lane, at_most);
  const auto now = clock::now();
  if (got.seen > 0) lane.found_jobs();
  if (got.seen == at_most) lane.size.filled(at_most);
  if (lane.idle()) lane.size.resumed(now);
  if (got.seen < got.asked && got.from_front) lane.found_all(got.seen, now);
  // A drain has no use for what comes later.
  if (got.seen == 0 && got.from_front && options_.drain) lane.asleep = true;
  lane.walked({.jobs = got.jobs,
               .from_front = got.from_front,
               .to_the_end = got.seen < got.asked,
               .maybe_locked = got.maybe_locked || (got.seen == 0 && lane.entry_seen)},
              now);
  lane.entry_seen = false;
  if (lane.asleep) next_poll_ = now;
  // Behind the cursor nothing was left: the front is worth a look before any wait.
  const bool found = got.seen > 0 || !got.from_front;
  if (got.jobs > 0) {
    // Later, so that the next claim is on its way before, and the server need not wait for it.
    lane.arriving += got.jobs;
    asio::post(io_, [this, &lane, got = std::move(got)] { take_in(lane, got); });
  }
  co_return found;
}

void queue_loop::take_in(lane& lane, const claimed& got) {
  lane.arriving -= got.jobs;
  if (lane.ready.empty()) lane.last_start = clock::now();
  for (auto& job : claims_.read(lane, got)) {
    if (stopping_) {
      do_.give_back(job);
    } else {
      lane.ready.push_back(std::move(job));
    }
  }
  if (stopping_) return;
  pump(lane);
  // The loop may be waiting already: for how long depends on what is ready.
  changed_.set();
}

/// Starts what is ready. A handler that never waits may end before start() returns and free its
/// slot again: slot_freed() leaves that to this loop, or they would call each other ever deeper.
void queue_loop::pump(lane& lane) {
  lane.pumping = true;
  bool started = false;
  for (; lane.free_slots() > 0 && !lane.ready.empty(); started = true) {
    auto job = std::move(lane.ready.front());
    lane.ready.pop_front();
    lane.running.insert(job);
    do_.start(job);
  }
  lane.pumping = false;
  if (!started && lane.ended == 0) return;
  const auto now = clock::now();
  if (started) lane.last_start = now;
  if (lane.ended > 0)
    lane.size.ended(std::exchange(lane.ended, 0), lane.options.max_concurrent, now);
}

void queue_loop::slot_freed(lane& lane) {
  ++lane.ended;
  if (stopping_ || lane.pumping) return;
  pump(lane);
  if (wanted(lane) > 0) changed_.set();
}

void queue_loop::outcomes_written() {
  // A retry at once is due again. Whoever sleeps is woken for it by the trigger, but a drain must
  // not end on what it saw before.
  nothing_due_ = false;
  if (options_.drain) next_poll_ = {};
  changed_.set();
}

asio::awaitable<void> queue_loop::wait() {
  using namespace asio::experimental::awaitable_operators;
  const auto now = clock::now();
  auto until = next_poll_;
  for (const auto& lane : lanes_) {
    // Its time came since the claims were made: a wait would last until the next poll.
    if (wanted(*lane) > 0) co_return;
    if (!lane->ready.empty()) until = std::min(until, lane->last_start + lane->max_stall());
    if (lane->asleep || lane->paused || lane->next_claim() <= now) continue;
    if (lane->free_slots() > 0) until = std::min(until, lane->next_claim());
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
    for (auto& lane : lanes_) {
      if (lane->kind.kind == heard.payload) lane->wake();
    }
    // Whoever enqueued has disarmed the flag for all of us.
    if (anyone_asleep()) next_poll_ = {};
  }
}

bool queue_loop::anyone_asleep() const {
  return std::any_of(lanes_.begin(), lanes_.end(),
                     [](const auto& lane) { return lane->asleep && !lane->paused; });
}

bool queue_loop::finished() const {
  const bool all_idle =
      std::all_of(lanes_.begin(), lanes_.end(), [](const auto& lane) { return lane->idle(); });
  if (!all_idle || do_.unwritten() > 0) return false;
  if (jobs_left() == 0) return true;
  const bool nobody_looks = std::all_of(lanes_.begin(), lanes_.end(), [](const auto& lane) {
    return lane->asleep || lane->paused || lane->claims.hopeless();
  });
  return options_.drain && nobody_looks && nothing_due_;
}

/// A drain does not wait for what others have locked, nor for a kind that cannot be claimed.
void queue_loop::report_left_behind() const {
  for (const auto& lane : lanes_) {
    const char* reason = lane->claims.hopeless()   ? "its claims fail"
                         : lane->locked.hopeless() ? "other sessions have locked them"
                         : lane->orphans_locked
                             ? "jobs of lost workers, which other sessions have locked"
                         : lane->rescues.hopeless() ? "jobs of lost workers cannot be taken back"
                         : lane->moves.hopeless()   ? "delayed jobs cannot be moved"
                         : lane->polls.hopeless()   ? "its polls fail"
                                                    : nullptr;
    if (reason == nullptr || jobs_left() == 0) continue;
    log_.warn("jobs that are due were left behind",
              {{"kind", lane->kind.kind}, {"reason", reason}});
  }
}

std::chrono::milliseconds queue_loop::poll_pause() {
  std::uniform_int_distribution<std::int64_t> between(options_.poll_min.count(),
                                                      options_.poll_max.count());
  return std::chrono::milliseconds{between(rng_)};
}

}  // namespace rowrunner
