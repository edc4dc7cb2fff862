#include "worker/loop.hpp"

#include <algorithm>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/post.hpp>

#include "common/pg/array.hpp"
#include "common/schema/job_status.hpp"
#include "queries/engine.hpp"
#include "queries/session.hpp"

namespace rowrunner {

namespace asio = boost::asio;
using namespace std::chrono_literals;

namespace {

enum poll_column { kind_id, paused, waiting, next_due_ms, expired, armed, workers, joins };
enum rescue_column { rescued_job, rescued_status, rescued_attempts, rescue_error, was_cancelled };

poll_row read_poll_row(const pg::result& answer, int row) {
  poll_row read;
  read.paused = answer.get_bool(row, paused);
  read.waiting = answer.get_bool(row, waiting);
  if (!answer.is_null(row, next_due_ms)) {
    read.next_due = std::chrono::milliseconds{answer.get_int(row, next_due_ms)};
  }
  read.expired = answer.get_bool(row, expired);
  read.armed = answer.get_bool(row, armed);
  read.workers = static_cast<int>(answer.get_int(row, workers));
  return read;
}

}  // namespace

queue_loop::queue_loop(asio::io_context& io, pg::session& session, claimer& claims,
                       executor& execute, const finisher& finish, const lane_list& lanes,
                       const worker_options& options, changes& changed, logger& log)
    : io_(io),
      session_(session),
      claims_(claims),
      execute_(execute),
      finish_(finish),
      lanes_(lanes),
      options_(options),
      changed_(changed),
      log_(log),
      plan_(lanes, options),
      joins_(session, log),
      poll_(queries::poll.statement()),
      arm_(queries::arm.statement()),
      rescue_(queries::rescue.statement()),
      move_due_(queries::move_due.statement()),
      lock_timeout_(queries::lock_timeout.statement()) {}

void queue_loop::stop() {
  stopping_ = true;
  execute_.close();
  changed_.for_loop.set();
}

asio::awaitable<void> queue_loop::run() {
  while (!stopping_) {
    std::string trouble;
    try {
      if (!co_await round()) break;
    } catch (const pg::error& e) {
      trouble = e.what();
    }
    if (!trouble.empty() && !stopping_) {
      const auto pause = backoff_.next(rng_);
      log_.warn("the database does not answer, trying again",
                {{"reason", trouble}, {"pause_ms", pause.count()}});
      plan_.disconnected();
      co_await changed_.for_loop.wait_for(pause);
    }
  }
}

/// False if the end is reached.
asio::awaitable<bool> queue_loop::round() {
  note_writes();
  hear_notifications();
  release_stuck();
  // Before the claims, which may fail for a long time, and before the poll: if their leases have
  // expired by then, its rescue would take these jobs back, and charge them.
  co_await claims_.release_unanswered();
  const bool worked = co_await claim_where_wanted();
  co_await claims_.release_unanswered();
  note_writes();
  if (!stopping_ && plan_.poll_due(clock::now())) co_await poll();
  backoff_.reset();
  if (plan_.finished(finish_.pending())) {
    report_left_behind();
    co_return false;
  }
  if (!worked && !stopping_) co_await wait();
  co_return true;
}

void queue_loop::note_writes() {
  if (std::exchange(rounds_written_, finish_.rounds()) != finish_.rounds()) {
    plan_.outcomes_written();
  }
}

/// They come with the answers of other statements, too: a worker that always finds jobs of one kind
/// does not wait, and hears of the other kinds here.
void queue_loop::hear_notifications() {
  for (const auto& heard : session_.take_notifications()) plan_.notified(heard.payload);
}

void queue_loop::release_stuck() {
  for (const auto& lane : lanes_) {
    if (!plan_.stuck(*lane, clock::now())) continue;
    log_.debug("jobs are released: those before them take long",
               {{"kind", lane->kind.kind}, {"jobs", lane->jobs.waiting()}});
    execute_.release_stuck(*lane);
  }
}

/// Says whether it found jobs. What is refused for one kind does not keep the others from theirs.
asio::awaitable<bool> queue_loop::claim_where_wanted() {
  bool found = false;
  for (const auto& lane : lanes_) {
    const int n = plan_.to_claim(*lane, finish_.pending(), clock::now());
    if (n <= 0 || stopping_) continue;
    try {
      if (co_await claim_for(*lane, n)) found = true;
    } catch (const pg::query_error& e) {
      back_off(*lane, loop_task::claim, "a claim failed", e);
    }
  }
  co_return found;
}

/// What the server refuses for one kind makes only that kind wait; a connection that fails makes
/// all wait.
void queue_loop::back_off(lane& lane, loop_task task, const char* what,
                          const pg::query_error& failure) {
  if (pg::classify(failure.sqlstate()) == pg::error_class::connection) throw failure;
  const auto pause = std::chrono::ceil<std::chrono::milliseconds>(
      lane.claims.failed(task, clock::now(), failure.message()));
  log_.warn(what, {{"kind", lane.kind.kind},
                   {"reason", failure.what()},
                   {"detail", failure.detail()},
                   {"pause_ms", pause.count()}});
}

asio::awaitable<bool> queue_loop::claim_for(lane& lane, int at_most) {
  auto got = co_await claims_.claim(lane, at_most);
  const auto now = clock::now();
  if (got.seen == at_most) lane.jobs.filled(at_most);
  lane.jobs.claimed(got.jobs, now);
  const bool found = plan_.claimed(lane, got, now);
  if (got.jobs > 0) {
    // Later, so that the next claim is on its way before, and the server need not wait for it.
    asio::post(io_, [this, &lane, got = std::move(got)] { take_in(lane, got); });
  }
  co_return found;
}

void queue_loop::take_in(lane& lane, const claimed& got) {
  execute_.submit(lane, claims_.read(lane, got), got.jobs);
  // The loop may be waiting already: for how long depends on what waits for a slot.
  changed_.for_loop.set();
}

asio::awaitable<void> queue_loop::wait() {
  using namespace asio::experimental::awaitable_operators;
  const auto now = clock::now();
  const auto until = plan_.wait_until(finish_.pending(), now);
  if (!until) co_return;
  const auto pause = std::chrono::ceil<std::chrono::milliseconds>(*until - now);
  if (options_.pooled) {
    co_await changed_.for_loop.wait_for(pause);
    co_return;
  }
  co_await (session_.wait_notification(pause) || changed_.for_loop.wait_for(pause));
}

/// What there is to do for every kind, in one statement; if that fails, kind by kind.
asio::awaitable<void> queue_loop::poll() {
  const auto kinds = plan_.begin_poll(clock::now());
  if (!co_await poll_for(kinds)) {
    for (auto* const each : kinds) {
      const std::vector<lane*> alone(1, each);
      co_await poll_for(alone);
    }
  }
  note_writes();
  plan_.end_poll(poll_pause(), clock::now());
}

/// Polls for these kinds and acts on it. False if the statement failed and should be tried for each
/// of them alone.
asio::awaitable<bool> queue_loop::poll_for(const std::vector<lane*>& kinds) {
  if (kinds.empty()) co_return true;
  std::vector<std::int64_t> ids, sleepers, to_arm;
  for (const auto* const each : kinds) {
    ids.push_back(each->kind.id);
    if (each->claims.asleep()) sleepers.push_back(each->kind.id);
    if (plan_.arms(*each)) to_arm.push_back(each->kind.id);
  }
  std::vector<pg::call> calls;
  if (!to_arm.empty()) calls.push_back(pg::with(arm_, pg::array(to_arm)));
  calls.push_back(pg::with(poll_, pg::array(ids), pg::array(sleepers)));
  std::vector<pg::result> answers;
  try {
    answers = co_await session_.run(std::move(calls));
  } catch (const pg::query_error& e) {
    if (pg::classify(e.sqlstate()) == pg::error_class::connection) throw;
    if (kinds.size() > 1) co_return false;
    back_off(*kinds.front(), loop_task::poll, "a poll failed", e);
    co_return true;
  }
  const auto& seen = answers.back();
  for (int row = 0; row < seen.rows(); ++row) {
    const auto found = std::find_if(kinds.begin(), kinds.end(), [&](const auto* candidate) {
      return candidate->kind.id == seen.get_int(row, kind_id);
    });
    const auto read = read_poll_row(seen, row);
    co_await handle_poll_row(**found, read);
  }
  if (seen.rows() > 0) co_await fire_joins(seen.get_bool(0, joins));
  co_return true;
}

asio::awaitable<void> queue_loop::handle_poll_row(lane& lane, const poll_row& row) {
  const auto tasks = lane.claims.polled(row, clock::now());
  bool acted = false;
  if (tasks.rescue) acted = co_await rescue(lane);
  if (tasks.move) acted = co_await move_due(lane) || acted;
  plan_.row_done(lane, row, acted, clock::now());
}

/// Lets jobs of any kind run that waited for others, if some may be ready. Those that other
/// sessions have locked stay noted; a drain does not wait for them.
asio::awaitable<void> queue_loop::fire_joins(bool noted) {
  if (!noted) {
    plan_.joins().none();
    co_return;
  }
  bool fired = false;
  const auto now = clock::now();
  if (plan_.joins_due(now)) fired = co_await joins_.fire(plan_.joins(), plan_.idle(now));
  plan_.joins_noted(fired, clock::now());
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
    back_off(lane, loop_task::rescue, "rescue failed", e);
    co_return false;
  }
  const auto& back = answers.back();
  int rescued = 0, failed = 0, cancelled = 0;
  bool some_locked = false;
  for (int row = 0; row < back.rows(); ++row) {
    if (back.is_null(row, rescued_job)) {
      some_locked = true;
    } else if (back.is_null(row, rescue_error)) {
      ++rescued;
      if (back.get_bool(row, was_cancelled)) {
        ++cancelled;
      } else if (back.get(row, rescued_status) == job_status::failed) {
        ++failed;
      }
    } else {
      log_.warn("a job of a lost worker cannot be taken back",
                {{"kind", lane.kind.kind},
                 {"job", back.get(row, rescued_job)},
                 {"reason", back.get(row, rescue_error)}});
    }
  }
  lane.claims.rescued(rescued, some_locked, clock::now());
  if (rescued == 0) co_return false;
  lane.counts.add(&worker_counts::rescued, rescued);
  lane.counts.add(&worker_counts::failed, failed);
  lane.counts.add(&worker_counts::cancelled, cancelled);
  log_.warn("jobs of a lost worker were taken back",
            {{"kind", lane.kind.kind}, {"jobs", rescued}, {"failed", failed}});
  co_return true;
}

/// Says whether it moved any job; other sessions may have locked them.
asio::awaitable<bool> queue_loop::move_due(lane& lane) {
  try {
    const auto answer =
        co_await session_.run_one(pg::with(move_due_, "{" + std::to_string(lane.kind.id) + "}"));
    lane.claims.moved(answer.get_int(0, 0), clock::now());
    co_return answer.get_int(0, 0) > 0;
  } catch (const pg::query_error& e) {
    back_off(lane, loop_task::move, "delayed jobs could not be moved", e);
  }
  co_return false;
}

/// A drain does not wait for what other sessions have locked, nor for a kind that cannot be
/// claimed.
void queue_loop::report_left_behind() const {
  for (const auto& [kind, reason] : plan_.left_behind()) {
    log_.warn("jobs that are due were left behind",
              {{"kind", kind->kind.kind}, {"reason", reason}});
  }
}

std::chrono::milliseconds queue_loop::poll_pause() {
  std::uniform_int_distribution<std::int64_t> between(options_.poll_min.count(),
                                                      options_.poll_max.count());
  return std::chrono::milliseconds{between(rng_)};
}

}  // namespace rowrunner
