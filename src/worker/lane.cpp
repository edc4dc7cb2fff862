#include "worker/lane.hpp"

#include <algorithm>

#include "queries/engine.hpp"

namespace rowrunner {

namespace {

/// The claims that follow an empty one, before the lane sleeps. In a steady stream of single jobs
/// they find the next one, and no enqueue has to pay for a NOTIFY.
constexpr std::chrono::milliseconds retries_before_sleep[] = {
    std::chrono::milliseconds{2}, std::chrono::milliseconds{4}, std::chrono::milliseconds{8}};

/// In a dense stream the next claim waits until there is a batch to be had: a claim costs the
/// server about as much as this many jobs would.
constexpr std::chrono::microseconds wait_per_job{500};
constexpr std::chrono::milliseconds longest_wait{25};

/// What stops for longer than its jobs take is behind a long one. Jobs that began together end
/// together, so that much of a pause is nothing unusual; but others may be idle meanwhile.
constexpr std::chrono::milliseconds shortest_patience{60};
constexpr std::chrono::milliseconds longest_patience{250};

}  // namespace

kind_statements::kind_statements(const kind_info& kind, const std::vector<std::string>& columns) {
  std::string list;
  for (const auto& column : columns) list += ", " + column;
  const auto bind = [&](const query& q) {
    return pg::statement{std::string{q.name} + "/" + kind.kind, kind.bind(q, list)};
  };
  claim = bind(queries::claim);
  claim_careful = bind(queries::claim_careful);
  claimed_jobs = bind(queries::claimed_jobs);
  abandon = bind(queries::abandon);
  succeed = bind(queries::succeed);
  fail = bind(queries::fail);
  give_back = bind(queries::give_back);
  end_cancelled = bind(queries::end_cancelled);
  reread = bind(queries::reread);
  step_done = bind(queries::step_done);
  progress = bind(queries::progress);
  retention = bind(queries::retention);
  claim.binary_answer = claim_careful.binary_answer = claimed_jobs.binary_answer = true;
}

void lane::found_jobs() {
  empty_claims = 0;
  asleep = false;
  claim_after = {};
}

void lane::found_all(int jobs, clock::time_point now) {
  if (empty_claims < static_cast<int>(std::size(retries_before_sleep))) {
    const clock::duration batch = std::min<clock::duration>(jobs * wait_per_job, longest_wait);
    claim_after = now + std::max<clock::duration>(retries_before_sleep[empty_claims++], batch);
  } else {
    asleep = true;
  }
}

void lane::walked(stretch of, clock::time_point now) {
  if (of.from_front) {
    walk_jobs = 0;
    walk_maybe_locked = false;
  }
  walk_jobs += of.jobs;
  walk_maybe_locked = walk_maybe_locked || of.maybe_locked;
  if (of.jobs > 0) locked.reset();
  if (!of.to_the_end || walk_jobs > 0 || !walk_maybe_locked) return;
  locked.failed(now);
  asleep = true;
}

lane::clock::duration lane::max_stall() const {
  return std::clamp<clock::duration>(2 * size.job_time(options.max_concurrent), shortest_patience,
                                     longest_patience);
}

void lane::wake() {
  asleep = false;
  claim_after = {};
  cursor.back_to_front();
}

}  // namespace rowrunner
