#include "worker/loop.hpp"

#include <algorithm>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include "common/pg/array.hpp"
#include "common/pg/backoff.hpp"
#include "common/pg/error.hpp"
#include "common/queries.hpp"

namespace rowrunner {

namespace asio = boost::asio;
using namespace std::chrono_literals;

namespace {

/// While so many outcomes wait to be written, nothing more is claimed: the database is behind.
constexpr std::size_t most_unwritten = 10'000;
/// A job that was enqueued just before the flag was armed may commit just after the look that
/// followed; this look finds it.
constexpr auto second_look = 10ms;

/// A look takes at most this share of the time (one part in so many), however slow it is.
constexpr int look_share = 20;

enum peek_column { kind_id, paused, waiting, next_due_ms, expired, armed, workers };

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
      settings_(queries::rescue_settings.statement()) {
  std::vector<std::int64_t> ids;
  for (const auto& home : lanes_) ids.push_back(home->kind.id);
  kind_ids_ = pg::array(ids);
}

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
      if (finished()) co_return;
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
    if (n > 0 && !stopping_ && co_await claim_for(*home, n)) found = true;
  }
  co_return found;
}

int line_loop::wanted(const lane& home) const {
  if (home.asleep || home.paused || clock::now() < home.next_look) return 0;
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
  if (got.seen < at_most && got.from_front) home.found_all(got.seen, now);
  // A drain has no use for what comes later.
  if (got.seen == 0 && got.from_front && options_.drain) home.asleep = true;
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

asio::awaitable<void> line_loop::watch() {
  // The flag is armed before the look, so that a job which comes after the look finds it armed.
  const bool arm = !options_.pooled && !armed_ && anyone_asleep();
  std::vector<pg::call> calls;
  if (arm) calls.push_back(pg::with(arm_, kind_ids_));
  std::vector<std::int64_t> sleepers;
  for (const auto& home : lanes_) {
    if (home->asleep) sleepers.push_back(home->kind.id);
  }
  calls.push_back(pg::with(peek_, kind_ids_, pg::array(sleepers)));
  const auto begun = clock::now();
  // Set before the look: what is written while it is under way sets it back.
  nothing_due_ = true;
  const auto answers = co_await session_.run(std::move(calls));
  const auto& seen = answers.back();
  armed_ = true;
  const auto spent = std::chrono::floor<std::chrono::milliseconds>(clock::now() - begun);
  auto pause = std::max(arm ? second_look : poll_pause(), spent * look_share);
  for (int row = 0; row < seen.rows(); ++row) {
    const auto home = std::find_if(lanes_.begin(), lanes_.end(), [&](const auto& candidate) {
      return candidate->kind.id == seen.get_int(row, kind_id);
    });
    if (co_await look_after(**home, seen, row)) nothing_due_ = false;
    if (!seen.is_null(row, next_due_ms)) {
      pause =
          std::min(pause, std::max(1ms, std::chrono::milliseconds{seen.get_int(row, next_due_ms)}));
    }
    armed_ = armed_ && (seen.get_bool(row, armed) || (*home)->paused);
  }
  next_watch_ = clock::now() + (options_.drain && !nothing_due_ ? 0ms : pause);
}

/// Acts on what the look found for one kind; says whether there was something.
asio::awaitable<bool> line_loop::look_after(lane& home, const pg::result& seen, int row) {
  home.paused = seen.get_bool(row, paused);
  home.cursor.shared_by(static_cast<int>(seen.get_int(row, workers)));
  bool something = false;
  if (seen.get_bool(row, expired)) {
    co_await rescue(home);
    something = true;
  }
  if (!seen.is_null(row, next_due_ms) && seen.get_int(row, next_due_ms) <= 0) {
    co_await session_.run_one(pg::with(move_due_, "{" + std::to_string(home.kind.id) + "}"));
    something = true;
  }
  if ((something || seen.get_bool(row, waiting)) && !home.paused) {
    if (home.asleep) home.wake();
    co_return true;
  }
  co_return false;
}

asio::awaitable<void> line_loop::rescue(lane& home) {
  std::vector<pg::result> answers;
  try {
    answers = co_await session_.run(
        pg::together(pg::with(settings_), pg::with(rescue_, std::to_string(home.kind.id))));
  } catch (const pg::query_error& e) {
    // The other kinds must not wait for this one; the next poll tries again.
    log_.warn("rescue failed", {{"kind", home.kind.kind}, {"reason", e.what()}});
    co_return;
  }
  const auto& back = answers.back();
  if (back.rows() == 0) co_return;
  home.count(&worker_counts::rescued, back.rows());
  log_.warn("jobs of a lost worker were taken back",
            {{"kind", home.kind.kind}, {"jobs", back.rows()}});
}

asio::awaitable<void> line_loop::wait() {
  using namespace asio::experimental::awaitable_operators;
  const auto now = clock::now();
  auto until = next_watch_;
  for (const auto& home : lanes_) {
    // Its time came since the claims were made: a wait would last until the next poll.
    if (wanted(*home) > 0) co_return;
    if (!home->ready.empty()) until = std::min(until, home->moved + home->longest_stop());
    if (home->asleep || home->paused || home->next_look <= now) continue;
    if (home->free_slots() > 0) until = std::min(until, home->next_look);
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
  const bool nobody_looks = std::all_of(
      lanes_.begin(), lanes_.end(), [](const auto& home) { return home->asleep || home->paused; });
  return options_.drain && nobody_looks && nothing_due_;
}

std::chrono::milliseconds line_loop::poll_pause() {
  std::uniform_int_distribution<std::int64_t> between(options_.poll_min.count(),
                                                      options_.poll_max.count());
  return std::chrono::milliseconds{between(rng_)};
}

}  // namespace rowrunner
