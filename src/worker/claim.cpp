#include "worker/claim.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <random>

#include "common/pg/error.hpp"
#include "queries/engine.hpp"

namespace rowrunner {

namespace asio = boost::asio;

namespace {

/// What a claim answers before the columns of the handler.
enum answer_column {
  seen,
  entry_priority,
  entry_seq,
  id,
  attempts,
  max_attempts,
  due_at,
  first_own
};

/// What claim_free and claim_each answer.
enum summary_column { seen_in_all, last_priority, last_seq, was_cut, passed_over, first_error };

/// Of what claim_settings answers.
constexpr int time_of_claim = 9;

/// A claim_free or claim_each costs more per job and joins without an index: keep it small.
constexpr int small_batch = 50;
/// For how long claims take no turns after a wait for a turn has timed out.
constexpr std::chrono::minutes without_turns{1};
/// Jobs that are passed over are reported at most so often.
constexpr std::chrono::seconds between_reports{10};

/// 63 random bits: the fencing token. Not from a sequence, as a crash of the server would hand out
/// the numbers of asynchronously committed claims again.
std::int64_t draw_lease() {
  static std::random_device device;
  const auto bits = (std::uint64_t{device()} << 32) | device();
  return static_cast<std::int64_t>(bits & 0x7fffffffffffffffU);
}

queue_position read_position(const pg::result& answer, int row, int priority, int seq) {
  return {static_cast<std::int16_t>(answer.get_int(row, priority)), answer.get_int(row, seq)};
}

/// A bulk claim has deleted all entries that it saw, so the next claim may start behind the last
/// one that yielded a job.
claimed read_bulk_claim(pg::result answer, queue_position behind, int asked) {
  claimed got;
  got.jobs = answer.is_null(0, id) ? 0 : answer.rows();
  got.seen = static_cast<int>(answer.get_int(0, seen));
  got.asked = asked;
  got.last = behind;
  for (int row = 0; row < got.jobs; ++row) {
    got.last = std::max(got.last, read_position(answer, row, entry_priority, entry_seq));
  }
  got.answer = std::move(answer);
  return got;
}

/// A claim_free or claim_each has left entries behind, so the next claim starts behind the last one
/// that it saw.
claimed read_small_claim(const pg::result& summary, pg::result jobs, queue_position behind,
                         int asked) {
  claimed got;
  got.jobs = jobs.rows();
  got.seen = static_cast<int>(summary.get_int(0, seen_in_all));
  // One that was cut short has not seen the end of the queue.
  got.asked = summary.get_bool(0, was_cut) ? got.seen : asked;
  got.last = got.seen == 0 ? behind : read_position(summary, 0, last_priority, last_seq);
  got.maybe_locked = got.jobs + summary.get_int(0, passed_over) < got.seen;
  got.answer = std::move(jobs);
  return got;
}

/// By the clock of this process. A run_at of -infinity is the least number.
std::optional<std::chrono::steady_clock::time_point> due_time(const claimed& got, int row) {
  const auto due = got.answer.get_int(row, due_at);
  if (due == std::numeric_limits<std::int64_t>::min()) return std::nullopt;
  // A job that came due during the claim has not waited.
  return got.answered - std::chrono::microseconds(std::max<std::int64_t>(0, got.taken_at - due));
}

}  // namespace

claimer::claimer(pg::session& session, lease_book& leases, logger& log, std::string worker_name,
                 handler_tools tools)
    : session_(session),
      leases_(leases),
      log_(log),
      worker_name_(std::move(worker_name)),
      turn_(queries::claim_turn.statement()),
      settings_(queries::claim_settings.statement()),
      write_settings_(queries::write_settings.statement()),
      claim_free_(queries::claim_free.statement()),
      claim_each_(queries::claim_each.statement()),
      tools_(tools) {}

asio::awaitable<claimed> claimer::claim(lane& lane, int at_most) {
  const auto begun = clock::now();
  const auto behind = lane.claims.cursor().start(begun);
  const auto lease = draw_lease();
  auto got = co_await take(lane, behind, at_most, lease);
  got.lease = lease;
  got.from_front = behind == queue_position{};
  const auto now = clock::now();
  got.answered = now;
  note_times(lane, begun, got);
  lane.counts.add(&worker_counts::claimed, got.jobs);
  lane.claims.cursor().saw(got.seen, got.asked, got.last, begun, now);
  if (got.jobs > 0 && !lease_book::in_time(begun, lane.options.lease, now)) {
    // The lease may be over before a heartbeat is through: nothing is started under it.
    log_.warn("the answer to a claim came too late", {{"kind", lane.kind.kind}, {"lease", lease}});
    lane.counts.add(&worker_counts::refused, got.jobs);
    lane.counts.not_started(got.jobs);
    unanswered_.push_back({&lane, lease, now});
    next_release_ = {};
    got.jobs = 0;
  }
  if (got.jobs > 0) {
    leases_.open(lease, static_cast<std::size_t>(got.jobs), begun, lane.options.lease);
  }
  co_return got;
}

void claimer::note_times(lane& lane, clock::time_point begun, const claimed& got) {
  lane.times.claim_seconds.add(std::chrono::duration<double>(got.answered - begun).count());
  if (got.jobs > 0) lane.times.claim_jobs.add(got.jobs);
}

/// A claim of many may fail because of one job: another session holds its row, or a row that its
/// triggers change, or its UPDATE fails. Then the jobs are claimed in a way that costs more.
asio::awaitable<claimed> claimer::take(lane& lane, queue_position behind, int at_most,
                                       std::int64_t lease) {
  auto mode = claim_mode::bulk;
  for (;;) {
    std::optional<pg::query_error> failure;
    try {
      co_return co_await take_by(mode, lane, behind, at_most, lease);
    } catch (const pg::query_error& e) {
      failure = e;
    }
    switch (remedy_for(*failure, mode, lane.claims.failed_repeatedly(loop_task::claim))) {
      case claim_remedy::try_later:
        throw pg::query_error(*failure);
      case claim_remedy::without_turn:
        notes_[&lane].turns_skipped_until = clock::now() + without_turns;
        log_.warn("another session holds the lock of claims, they go on without it",
                  {{"kind", lane.kind.kind}});
        break;
      case claim_remedy::free:
        mode = claim_mode::free;
        break;
      case claim_remedy::one_by_one:
        mode = claim_mode::one_by_one;
        break;
    }
  }
}

asio::awaitable<claimed> claimer::take_by(claim_mode mode, lane& lane, queue_position behind,
                                          int at_most, std::int64_t lease) {
  const bool bulk = mode == claim_mode::bulk;
  const int asked = bulk ? at_most : std::min(at_most, small_batch);
  std::vector<pg::call> calls;
  auto& mine = notes_[&lane];
  if (bulk && behind != queue_position{} && clock::now() >= mine.turns_skipped_until) {
    // The two alternate, so that all workers wait equally long.
    mine.turn_queue = 1 - mine.turn_queue;
    calls.push_back(pg::with(turn_, std::to_string(lane.kind.id), std::to_string(mine.turn_queue)));
  }
  calls.push_back(pg::with(settings_));
  const auto& how = bulk ? lane.sql.claim : mode == claim_mode::free ? claim_free_ : claim_each_;
  calls.push_back(pg::with(how, std::to_string(lane.kind.id), std::to_string(behind.priority),
                           std::to_string(behind.seq), std::to_string(asked), std::to_string(lease),
                           worker_name_, std::to_string(lane.options.lease.count())));
  if (!bulk) calls.push_back(pg::with(lane.sql.claimed_jobs, std::to_string(lease)));
  const auto settings = calls.size() - (bulk ? 2 : 3);
  auto answers = co_await run(lane, std::move(calls), lease);
  const auto taken_at = answers[settings].get_int(0, time_of_claim);
  if (bulk) {
    auto got = read_bulk_claim(std::move(answers.back()), behind, asked);
    got.taken_at = taken_at;
    co_return got;
  }
  const auto& summary = answers[answers.size() - 2];
  report_passed_over(lane, static_cast<int>(summary.get_int(0, passed_over)),
                     summary.is_null(0, first_error) ? "" : summary.get(0, first_error));
  auto got = read_small_claim(summary, std::move(answers.back()), behind, asked);
  got.taken_at = taken_at;
  co_return got;
}

asio::awaitable<std::vector<pg::result>> claimer::run(lane& lane, std::vector<pg::call> calls,
                                                      std::int64_t lease) {
  try {
    co_return co_await session_.run(std::move(calls));
  } catch (const pg::connection_lost& e) {
    if (e.maybe_committed) unanswered_.push_back({&lane, lease, clock::now()});
    throw;
  }
}

void claimer::report_passed_over(lane& lane, int jobs, std::string_view reason) {
  auto& mine = notes_[&lane];
  mine.passed_over += jobs;
  const auto now = clock::now();
  if (jobs == 0 || now < mine.next_report) return;
  log_.warn(
      "jobs were passed over because the UPDATE of their row fails; they are tried again later",
      {{"kind", lane.kind.kind}, {"jobs", mine.passed_over}, {"reason", std::string{reason}}});
  mine.passed_over = 0;
  mine.next_report = now + between_reports;
}

std::vector<job_ptr> claimer::read(lane& lane, const claimed& got) {
  const auto& answer = got.answer;
  std::vector<job_ptr> jobs;
  if (!leases_.usable(got.lease)) {
    lane.counts.add(&worker_counts::refused, got.jobs);
    leases_.forget(got.lease);
    return jobs;
  }
  jobs.reserve(static_cast<std::size_t>(got.jobs));
  const auto options = std::make_shared<const kind_options>(lane.options);
  for (int row = 0; row < got.jobs; ++row) {
    auto job = std::make_shared<running_job>();
    job->lane = &lane;
    job->options = options;
    job->writes = tools_.writes;
    job->pool = tools_.pool;
    job->id = answer.get_uuid(row, id);
    job->lease = got.lease;
    job->position = read_position(answer, row, entry_priority, entry_seq);
    // One less than the largest number: every user of it adds one for this attempt.
    job->attempts = static_cast<int>(
        std::min<std::int64_t>(answer.get_int(row, attempts), std::numeric_limits<int>::max() - 1));
    job->max_attempts = static_cast<int>(answer.get_int(row, max_attempts));
    job->due = due_time(got, row);
    for (int column = first_own; column < answer.columns(); ++column) {
      if (answer.is_null(row, column)) {
        job->columns.emplace_back();
      } else {
        job->columns.emplace_back(answer.get(row, column));
      }
    }
    jobs.push_back(std::move(job));
  }
  const auto before = [](const job_ptr& a, const job_ptr& b) { return a->position < b->position; };
  // The server answers them so, but does not promise it.
  if (!std::is_sorted(jobs.begin(), jobs.end(), before)) {
    std::sort(jobs.begin(), jobs.end(), before);
  }
  return jobs;
}

asio::awaitable<void> claimer::release_unanswered() {
  if (unanswered_.empty() || clock::now() < next_release_) co_return;
  next_release_ = clock::now() + std::chrono::seconds{1};
  for (std::size_t i = 0; i < unanswered_.size();) {
    const auto [lane, lease, since] = unanswered_[i];
    int back = 0;
    try {
      const auto answers = co_await session_.run(pg::together(
          pg::with(write_settings_), pg::with(lane->sql.abandon, std::to_string(lease))));
      back = answers.back().rows();
    } catch (const pg::query_error& e) {
      if (pg::classify(e.sqlstate()) == pg::error_class::connection) throw;
      log_.warn("jobs of a claim whose answer was lost or late could not be released",
                {{"kind", lane->kind.kind}, {"lease", lease}, {"reason", e.what()}});
    }
    if (back > 0) {
      log_.warn("jobs of a claim whose answer was lost or late were released",
                {{"kind", lane->kind.kind}, {"lease", lease}, {"jobs", back}});
      lane->counts.add(&worker_counts::released, back);
    }
    if (back > 0 || clock::now() > since + lane->options.lease) {
      unanswered_.erase(unanswered_.begin() + static_cast<std::ptrdiff_t>(i));
    } else {
      ++i;
    }
  }
}

}  // namespace rowrunner
