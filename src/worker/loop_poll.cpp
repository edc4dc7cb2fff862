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

enum peek_column { kind_id, paused, waiting, next_due_ms, expired, armed, workers };
enum rescue_column { rescued_job, rescued_status, rescued_attempts, rescue_error };

}  // namespace

asio::awaitable<void> queue_loop::watch() {
  const auto begun = clock::now();
  std::vector<lane*> asked;
  for (const auto& lane : lanes_) {
    if (lane->polls.due(begun)) asked.push_back(lane.get());
  }
  poll_round round;
  // The flag is armed before the poll, so that a job which comes after the poll finds it armed.
  round.arm = !options_.pooled && !armed_ && anyone_asleep();
  // Set before the poll: what is written while it is under way sets both back.
  nothing_due_ = true;
  next_poll_ = clock::time_point::max();
  armed_ = true;
  if (!co_await poll(asked, round)) {
    for (auto* const each : asked) {
      const std::vector<lane*> alone(1, each);
      co_await poll(alone, round);
    }
  }
  const auto now = clock::now();
  for (const auto& lane : lanes_) {
    if (lane->polls.due(now)) continue;
    round.wait_for(lane->polls);
    if (!lane->polls.hopeless()) nothing_due_ = false;
  }
  const auto spent = std::chrono::floor<std::chrono::milliseconds>(now - begun);
  const auto pause = std::max(round.arm ? second_poll : poll_pause(), spent * poll_share);
  // A drain that went to sleep on what this poll saw before the write would wait for the next poll.
  const bool written_meanwhile = next_poll_ == clock::time_point{};
  next_poll_ = options_.drain && (round.acted || written_meanwhile)
                   ? now
                   : std::min(now + pause, round.next);
}

/// Polls for these kinds and acts on it. False if the statement failed and should be tried for each
/// of them alone.
asio::awaitable<bool> queue_loop::poll(const std::vector<lane*>& asked, poll_round& round) {
  if (asked.empty()) co_return true;
  std::vector<std::int64_t> ids, sleepers;
  for (const auto* const lane : asked) {
    ids.push_back(lane->kind.id);
    if (lane->asleep) sleepers.push_back(lane->kind.id);
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
    auto* const lane = *std::find_if(asked.begin(), asked.end(), [&](const auto* candidate) {
      return candidate->kind.id == seen.get_int(row, kind_id);
    });
    lane->polls.reset();
    co_await handle_poll_row(*lane, seen, row, round);
    armed_ = armed_ && (seen.get_bool(row, armed) || lane->paused);
  }
  co_return true;
}

/// Acts on what the poll found for one kind.
asio::awaitable<void> queue_loop::handle_poll_row(lane& lane, const pg::result& seen, int row,
                                                  poll_round& round) {
  lane.paused = seen.get_bool(row, paused);
  lane.cursor.shared_by(static_cast<int>(seen.get_int(row, workers)));
  bool acted = false;
  bool pending = false;
  const auto wait_for = [&](const lane_backoff& tries) {
    if (tries.due(clock::now())) return;
    round.wait_for(tries);
    pending = pending || !tries.hopeless();
  };
  if (!seen.get_bool(row, expired)) {
    lane.rescues.reset();
    // A lease that was put off and is not there when its time comes was taken back by another one.
    if (clock::now() > lane.orphans_put_off_until) lane.orphans_locked = false;
  } else {
    if (lane.rescues.due(clock::now())) acted = co_await rescue(lane);
    wait_for(lane.rescues);
  }
  if (seen.is_null(row, next_due_ms) || seen.get_int(row, next_due_ms) > 0) {
    lane.moves.reset();
    if (!seen.is_null(row, next_due_ms)) {
      const std::chrono::milliseconds due_in{seen.get_int(row, next_due_ms)};
      round.next = std::min(round.next, clock::now() + due_in);
    }
  } else {
    if (lane.moves.due(clock::now())) acted = co_await move_due(lane) || acted;
    wait_for(lane.moves);
  }
  lane.entry_seen = seen.get_bool(row, waiting);
  if (lane.asleep && !lane.entry_seen) lane.locked.reset();
  if (lane.entry_seen) wait_for(lane.locked);
  if (lane.paused) co_return;
  if (acted || (lane.entry_seen && lane.locked.due(clock::now()))) {
    round.acted = true;
    if (lane.asleep) lane.wake();
  }
  if (round.acted || pending) nothing_due_ = false;
}

/// Says whether it took any job back. A job whose row another session has locked stays for the next
/// time, and so does one whose rescue fails. The function limits its own waits for locks; what is
/// sent before it limits those of deferred triggers, which run at the commit.
asio::awaitable<bool> queue_loop::rescue(lane& lane) {
  std::vector<pg::result> answers;
  try {
    answers = co_await session_.run(pg::together(pg::with(lock_timeout_, "100ms"),
                                                 pg::with(rescue_, std::to_string(lane.kind.id))));
  } catch (const pg::query_error& e) {
    back_off(lane, lane.rescues, "rescue failed", e);
    co_return false;
  }
  const auto& back = answers.back();
  int rescued = 0;
  lane.orphans_locked = false;
  for (int row = 0; row < back.rows(); ++row) {
    if (back.is_null(row, rescued_job)) {
      lane.orphans_locked = true;
      lane.orphans_put_off_until = clock::now() + rescue_put_off;
    } else if (back.is_null(row, rescue_error)) {
      ++rescued;
    } else {
      log_.warn("a job of a lost worker cannot be taken back",
                {{"kind", lane.kind.kind},
                 {"job", back.get(row, rescued_job)},
                 {"reason", back.get(row, rescue_error)}});
    }
  }
  if (rescued == 0) {
    lane.rescues.failed(clock::now());
    co_return false;
  }
  lane.rescues.reset();
  lane.count(&worker_counts::rescued, rescued);
  log_.warn("jobs of a lost worker were taken back", {{"kind", lane.kind.kind}, {"jobs", rescued}});
  co_return true;
}

/// Says whether it moved any job; others may have locked them.
asio::awaitable<bool> queue_loop::move_due(lane& lane) {
  try {
    const auto moved =
        co_await session_.run_one(pg::with(move_due_, "{" + std::to_string(lane.kind.id) + "}"));
    if (moved.get_int(0, 0) > 0) {
      lane.moves.reset();
      co_return true;
    }
    lane.moves.failed(clock::now());
  } catch (const pg::query_error& e) {
    back_off(lane, lane.moves, "delayed jobs could not be moved", e);
  }
  co_return false;
}

}  // namespace rowrunner
