#include "worker/claim_state.hpp"

#include <algorithm>
#include <utility>

namespace rowrunner {

using namespace std::chrono_literals;

namespace {

/// The claims that follow an empty one, before the lane sleeps. In a steady stream of single jobs
/// they find the next one, and no enqueue has to pay for a NOTIFY.
constexpr std::chrono::milliseconds retries_before_sleep[] = {2ms, 4ms, 8ms};

/// In a dense stream the next claim waits until there is a batch to be had: a claim costs the
/// server about as much as this many jobs would.
constexpr std::chrono::microseconds wait_per_job{500};
constexpr std::chrono::milliseconds longest_wait{25};

/// A little longer than rowrunner.rescue puts off a lease of which a job is locked.
constexpr auto rescue_put_off = 1'500ms;

}  // namespace

claim_state::clock::duration claim_state::failed(loop_task task, time now, std::string reason) {
  of(task).failed(now, std::move(reason));
  return until(task) - now;
}

void claim_state::claimed(const claim_facts& got, bool drain, time now) {
  of(loop_task::claim).reset();
  if (got.seen > 0) {
    empty_claims_ = 0;
    asleep_ = false;
    claim_after_ = {};
  }
  if (got.seen < got.asked && got.from_front) found_all(got.seen, now);
  if (got.seen == 0 && got.from_front && drain) asleep_ = true;
  walked(got, now);
  entry_seen_ = false;
}

/// A claim from the front took the last `jobs` that were there.
void claim_state::found_all(int jobs, time now) {
  if (empty_claims_ == static_cast<int>(std::size(retries_before_sleep))) {
    asleep_ = true;
    return;
  }
  const clock::duration batch = std::min<clock::duration>(jobs * wait_per_job, longest_wait);
  claim_after_ = now + std::max<clock::duration>(retries_before_sleep[empty_claims_++], batch);
}

/// If nothing was taken from the front of the queue to its end, and entries may have been left
/// because their jobs are locked, the lane sleeps.
void claim_state::walked(const claim_facts& got, time now) {
  if (got.from_front) {
    walk_jobs_ = 0;
    walk_maybe_locked_ = false;
  }
  walk_jobs_ += got.jobs;
  walk_maybe_locked_ = walk_maybe_locked_ || got.maybe_locked || (got.seen == 0 && entry_seen_);
  if (got.jobs > 0) of(loop_task::locked).reset();
  if (got.seen == got.asked || walk_jobs_ > 0 || !walk_maybe_locked_) return;
  of(loop_task::locked).failed(now);
  asleep_ = true;
}

void claim_state::wake() {
  asleep_ = false;
  claim_after_ = {};
}

void claim_state::notified() {
  armed_ = false;
  wake();
}

poll_tasks claim_state::polled(const poll_row& row, time now) {
  of(loop_task::poll).reset();
  paused_ = row.paused;
  armed_ = row.armed;
  cursor_.shared_by(row.workers);
  entry_seen_ = row.waiting;
  due_seen_ = row.waiting || row.due_now();
  if (asleep_ && !entry_seen_) of(loop_task::locked).reset();
  if (!row.expired) {
    of(loop_task::rescue).reset();
    // A lease that was put off and is gone when it is due was taken back by another worker.
    if (now > orphans_put_off_until_) orphans_locked_ = false;
  }
  if (!row.due_now()) of(loop_task::move).reset();
  return {.rescue = row.expired && due(loop_task::rescue, now),
          .move = row.due_now() && due(loop_task::move, now)};
}

void claim_state::rescued(int jobs, bool some_locked, time now) {
  orphans_locked_ = some_locked;
  if (some_locked) orphans_put_off_until_ = now + rescue_put_off;
  jobs > 0 ? of(loop_task::rescue).reset() : of(loop_task::rescue).failed(now);
}

void claim_state::moved(std::int64_t jobs, time now) {
  jobs > 0 ? of(loop_task::move).reset() : of(loop_task::move).failed(now);
}

const std::string& claim_state::problem() const {
  static const std::string none;
  for (const auto task : {loop_task::claim, loop_task::poll}) {
    if (failed_repeatedly(task)) return of(task).reason();
  }
  return none;
}

const char* claim_state::left_behind() const {
  if (paused_ && due_seen_) return "the kind is paused";
  if (failed_repeatedly(loop_task::claim)) return "its claims fail";
  if (failed_repeatedly(loop_task::locked)) return "other sessions have locked them";
  if (orphans_locked_) return "jobs of lost workers, which other sessions have locked";
  if (failed_repeatedly(loop_task::rescue)) return "jobs of lost workers cannot be taken back";
  if (failed_repeatedly(loop_task::move)) return "delayed jobs cannot be moved";
  if (failed_repeatedly(loop_task::poll)) return "its polls fail";
  return nullptr;
}

}  // namespace rowrunner
