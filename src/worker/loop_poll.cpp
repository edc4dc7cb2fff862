// The polls of the loop: what there is to do for every kind, in one statement, and what is done
// about it. A kind for which that fails, or brings nothing, is asked again later; the others go on.

#include <algorithm>

#include "common/pg/array.hpp"
#include "common/pg/error.hpp"
#include "worker/loop.hpp"

namespace rowrunner {

namespace asio = boost::asio;
using namespace std::chrono_literals;

namespace {

/// A job that was enqueued just before the flag was armed may commit just after the poll that
/// followed; this poll finds it.
constexpr auto second_poll = 10ms;

/// A poll takes at most this share of the time (one part in so many), however slow it is.
constexpr int poll_share = 20;

/// For so long rowrunner.rescue puts off a lease of which a job is locked, and a little more.
constexpr auto rescue_put_off = 1'500ms;

enum peek_column { kind_id, paused, waiting, next_due_ms, expired, armed, workers, joins };
enum rescue_column { rescued_job, rescued_status, rescued_attempts, rescue_error };

}  // namespace

asio::awaitable<void> line_loop::watch() {
  const auto begun = clock::now();
  std::vector<lane*> asked;
  for (const auto& home : lanes_) {
    if (home->polls.due(begun)) asked.push_back(home.get());
  }
  poll_round round;
  // The flag is armed before the poll, so that a job which comes after the poll finds it armed.
  round.arm = !options_.pooled && !armed_ && anyone_asleep();
  // Set before the poll: what is written while it is under way sets both back.
  nothing_due_ = true;
  next_watch_ = clock::time_point::max();
  armed_ = true;
  if (!co_await poll(asked, round)) {
    for (auto* const home : asked) {
      const std::vector<lane*> alone(1, home);
      co_await poll(alone, round);
    }
  }
  const auto now = clock::now();
  for (const auto& home : lanes_) {
    if (home->polls.due(now)) continue;
    round.wait_for(home->polls);
    if (!home->polls.hopeless()) nothing_due_ = false;
  }
  const auto spent = std::chrono::floor<std::chrono::milliseconds>(now - begun);
  const auto pause = std::max(round.arm ? second_poll : poll_pause(), spent * poll_share);
  // A drain that went to sleep on what this poll saw before the write would wait for the next poll.
  const bool written_meanwhile = next_watch_ == clock::time_point{};
  next_watch_ = options_.drain && (round.acted || written_meanwhile)
                    ? now
                    : std::min(now + pause, round.next);
}

/// Polls for these kinds and acts on it. False if the statement failed and should be tried for each
/// of them alone.
asio::awaitable<bool> line_loop::poll(const std::vector<lane*>& asked, poll_round& round) {
  if (asked.empty()) co_return true;
  std::vector<std::int64_t> ids, sleepers;
  for (const auto* const home : asked) {
    ids.push_back(home->kind.id);
    if (home->asleep) sleepers.push_back(home->kind.id);
  }
  std::vector<pg::call> calls;
  if (round.arm) calls.push_back(pg::with(arm_, pg::array(ids)));
  calls.push_back(pg::with(peek_, pg::array(ids), pg::array(sleepers)));
  std::vector<pg::result> answers;
  try {
    answers = co_await session_.run(std::move(calls));
  } catch (const pg::query_error& e) {
    if (pg::classify(e.sqlstate()) == pg::error_class::connection) throw;
    if (asked.size() > 1) co_return false;
    back_off(*asked.front(), asked.front()->polls, "a poll failed", e);
    co_return true;
  }
  const auto& seen = answers.back();
  for (int row = 0; row < seen.rows(); ++row) {
    auto* const home = *std::find_if(asked.begin(), asked.end(), [&](const lane* candidate) {
      return candidate->kind.id == seen.get_int(row, kind_id);
    });
    home->polls.reset();
    co_await handle_poll_row(*home, seen, row, round);
    armed_ = armed_ && (seen.get_bool(row, armed) || home->paused);
  }
  if (seen.rows() > 0) co_await fire_joins(seen.get_bool(0, joins), round);
  co_return true;
}

/// Lets jobs of any kind run that waited for others, if there may be any. Some stay noted while
/// other sessions have locked them; a drain does not wait for those.
asio::awaitable<void> line_loop::fire_joins(bool noted, poll_round& round) {
  if (!noted) {
    joins_.reset();
    co_return;
  }
  if (joins_.due(clock::now())) {
    std::int64_t fired = 0;
    try {
      fired = (co_await session_.run_one(pg::with(fire_joins_))).get_int(0, 0);
    } catch (const pg::query_error& e) {
      if (pg::classify(e.sqlstate()) == pg::error_class::connection) throw;
      log_.warn("jobs that waited for others could not be released", {{"reason", e.what()}});
    }
    if (fired > 0) {
      joins_.reset();
      round.acted = true;
      round.next = clock::now();
    } else {
      joins_.failed(clock::now());
    }
  }
  round.wait_for(joins_);
  if (!joins_.hopeless()) nothing_due_ = false;
}

/// Acts on what the poll found for one kind.
asio::awaitable<void> line_loop::handle_poll_row(lane& home, const pg::result& seen, int row,
                                                 poll_round& round) {
  home.paused = seen.get_bool(row, paused);
  home.cursor.shared_by(static_cast<int>(seen.get_int(row, workers)));
  bool acted = false;
  bool pending = false;
  const auto wait_for = [&](const lane_backoff& tries) {
    if (tries.due(clock::now())) return;
    round.wait_for(tries);
    pending = pending || !tries.hopeless();
  };
  if (!seen.get_bool(row, expired)) {
    home.rescues.reset();
    // A lease that was put off and is not there when its time comes was taken back by another one.
    if (clock::now() > home.orphans_put_off_until) home.orphans_locked = false;
  } else {
    if (home.rescues.due(clock::now())) acted = co_await rescue(home);
    wait_for(home.rescues);
  }
  if (seen.is_null(row, next_due_ms) || seen.get_int(row, next_due_ms) > 0) {
    home.moves.reset();
    if (!seen.is_null(row, next_due_ms)) {
      const std::chrono::milliseconds due_in{seen.get_int(row, next_due_ms)};
      round.next = std::min(round.next, clock::now() + due_in);
    }
  } else {
    if (home.moves.due(clock::now())) acted = co_await move_due(home) || acted;
    wait_for(home.moves);
  }
  home.entry_seen = seen.get_bool(row, waiting);
  if (home.asleep && !home.entry_seen) home.locked.reset();
  if (home.entry_seen) wait_for(home.locked);
  if (home.paused) co_return;
  if (acted || (home.entry_seen && home.locked.due(clock::now()))) {
    round.acted = true;
    if (home.asleep) home.wake();
  }
  if (round.acted || pending) nothing_due_ = false;
}

/// Says whether it took any job back. A job whose row another session has locked stays for the next
/// time, and so does one whose rescue fails. The function limits its own waits for locks; what is
/// sent before it limits those of deferred triggers, which run at the commit.
asio::awaitable<bool> line_loop::rescue(lane& home) {
  std::vector<pg::result> answers;
  try {
    answers = co_await session_.run(pg::together(pg::with(lock_timeout_, "100ms"),
                                                 pg::with(rescue_, std::to_string(home.kind.id))));
  } catch (const pg::query_error& e) {
    back_off(home, home.rescues, "rescue failed", e);
    co_return false;
  }
  const auto& back = answers.back();
  int rescued = 0;
  home.orphans_locked = false;
  for (int row = 0; row < back.rows(); ++row) {
    if (back.is_null(row, rescued_job)) {
      home.orphans_locked = true;
      home.orphans_put_off_until = clock::now() + rescue_put_off;
    } else if (back.is_null(row, rescue_error)) {
      ++rescued;
    } else {
      log_.warn("a job of a lost worker cannot be taken back",
                {{"kind", home.kind.kind},
                 {"job", back.get(row, rescued_job)},
                 {"reason", back.get(row, rescue_error)}});
    }
  }
  if (rescued == 0) {
    home.rescues.failed(clock::now());
    co_return false;
  }
  home.rescues.reset();
  home.count(&worker_counts::rescued, rescued);
  log_.warn("jobs of a lost worker were taken back", {{"kind", home.kind.kind}, {"jobs", rescued}});
  co_return true;
}

/// Says whether it moved any job; others may have locked them.
asio::awaitable<bool> line_loop::move_due(lane& home) {
  try {
    const auto moved =
        co_await session_.run_one(pg::with(move_due_, "{" + std::to_string(home.kind.id) + "}"));
    if (moved.get_int(0, 0) > 0) {
      home.moves.reset();
      co_return true;
    }
    home.moves.failed(clock::now());
  } catch (const pg::query_error& e) {
    back_off(home, home.moves, "delayed jobs could not be moved", e);
  }
  co_return false;
}

}  // namespace rowrunner
