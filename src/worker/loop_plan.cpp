#include "worker/loop_plan.hpp"

#include <algorithm>
#include <limits>

namespace rowrunner {

using namespace std::chrono_literals;

namespace {

/// A job that was enqueued just before the flag was armed may commit just after the poll that
/// followed; this poll finds it.
constexpr auto second_poll = 10ms;

/// Polls take at most one part in so many of the time, however slow they are. The second poll is
/// not put off for that: on a busy machine it would come too late.
constexpr int poll_share = 20;

}  // namespace

int loop_plan::to_claim(const lane& lane, std::size_t unwritten, time now) const {
  if (!lane.claims.may_claim(now) || unwritten > most_unwritten) return 0;
  return static_cast<int>(std::min<std::int64_t>(lane.jobs.wanted(), jobs_left()));
}

std::int64_t loop_plan::jobs_left() const {
  if (options_.max_jobs == 0) return std::numeric_limits<int>::max();
  std::int64_t claimed = 0;
  for (const auto& lane : lanes_) claimed += lane->counts.claimed_to_start();
  return std::max<std::int64_t>(0, options_.max_jobs - claimed);
}

bool loop_plan::claimed(lane& lane, const claim_facts& got, time now) {
  lane.claims.claimed(got, options_.drain, now);
  if (lane.claims.asleep()) next_poll_ = now;
  // Behind the cursor nothing was left: the front comes before any wait.
  return got.seen > 0 || !got.from_front;
}

std::vector<lane*> loop_plan::begin_poll(time now) {
  std::vector<lane*> kinds;
  for (const auto& lane : lanes_) {
    if (lane->claims.due(loop_task::poll, now)) kinds.push_back(lane.get());
  }
  arm_ = std::any_of(kinds.begin(), kinds.end(), [&](const lane* each) { return arms(*each); });
  begun_ = now;
  acted_ = false;
  next_task_ = time::max();
  // Set before the poll: what is written while it is under way sets both back.
  nothing_due_ = true;
  next_poll_ = time::max();
  return kinds;
}

void loop_plan::row_done(lane& lane, const poll_row& row, bool acted, time now) {
  auto& state = lane.claims;
  bool pending = false;
  const auto wait_for = [&](loop_task task) {
    if (state.due(task, now)) return;
    next_task_ = std::min(next_task_, state.until(task));
    pending = pending || !state.failed_repeatedly(task);
  };
  if (row.expired) wait_for(loop_task::rescue);
  if (row.due_now()) {
    wait_for(loop_task::move);
  } else if (row.next_due) {
    next_task_ = std::min(next_task_, now + *row.next_due);
  }
  if (row.waiting) wait_for(loop_task::locked);
  if (row.paused) return;
  if (acted || (row.waiting && state.due(loop_task::locked, now))) {
    acted_ = true;
    if (state.asleep()) state.wake();
  }
  if (acted_ || pending) nothing_due_ = false;
}

void loop_plan::joins_noted(bool fired, time now) {
  if (fired) acted_ = true;
  next_task_ = std::min(next_task_, fired ? now : joins_.next());
  if (!joins_.failed_repeatedly()) nothing_due_ = false;
}

void loop_plan::end_poll(std::chrono::milliseconds pause, time now) {
  for (const auto& lane : lanes_) {
    if (lane->claims.due(loop_task::poll, now)) continue;
    next_task_ = std::min(next_task_, lane->claims.until(loop_task::poll));
    if (!lane->claims.failed_repeatedly(loop_task::poll)) nothing_due_ = false;
  }
  const auto spent = std::chrono::floor<std::chrono::milliseconds>(now - begun_);
  const auto next = now + (arm_ ? second_poll : std::max(pause, spent * poll_share));
  // A drain that went to sleep on what this poll saw before the write would wait for the next poll.
  const bool written_meanwhile = next_poll_ == time{};
  next_poll_ = options_.drain && (acted_ || written_meanwhile) ? now : std::min(next, next_task_);
}

std::optional<loop_plan::time> loop_plan::wait_until(std::size_t unwritten, time now) const {
  auto until = next_poll_;
  for (const auto& lane : lanes_) {
    // Its time came since the claims were made: a wait would last until the next poll.
    if (to_claim(*lane, unwritten, now) > 0) return std::nullopt;
    until = std::min(until, lane->jobs.stuck_at());
    const auto next_claim = lane->claims.next_claim();
    if (lane->claims.awake() && next_claim > now) until = std::min(until, next_claim);
  }
  if (until <= now) return std::nullopt;
  return until;
}

void loop_plan::notified(std::string_view kind) {
  for (const auto& lane : lanes_) {
    if (lane->kind.kind == kind) lane->claims.notified();
  }
}

void loop_plan::outcomes_written() {
  // A retry at once is due again. A lane that sleeps is woken for it by the trigger, but a drain
  // must not end on what it saw before.
  nothing_due_ = false;
  joins_.outcomes_written();
  if (options_.drain) next_poll_ = {};
}

void loop_plan::disconnected() {
  for (const auto& lane : lanes_) lane->claims.disconnected();
  next_poll_ = {};
}

bool loop_plan::nothing_runs() const {
  return std::all_of(lanes_.begin(), lanes_.end(),
                     [](const auto& lane) { return lane->jobs.idle(); });
}

/// Jobs that take no time have ended when a poll is made, and more of them may wait.
bool loop_plan::claims_on(time now) const {
  return std::any_of(lanes_.begin(), lanes_.end(),
                     [&](const auto& lane) { return lane->claims.may_claim(now); });
}

bool loop_plan::finished(std::size_t unwritten) const {
  if (!nothing_runs() || unwritten > 0) return false;
  if (jobs_left() == 0) return true;
  const bool none_claims = std::all_of(lanes_.begin(), lanes_.end(), [](const auto& lane) {
    return !lane->claims.awake() || lane->claims.failed_repeatedly(loop_task::claim);
  });
  return options_.drain && none_claims && nothing_due_;
}

std::vector<std::pair<const lane*, const char*>> loop_plan::left_behind() const {
  std::vector<std::pair<const lane*, const char*>> kinds;
  if (jobs_left() == 0) return kinds;
  for (const auto& each : lanes_) {
    if (const char* reason = each->claims.left_behind()) kinds.emplace_back(each.get(), reason);
  }
  return kinds;
}

}  // namespace rowrunner
