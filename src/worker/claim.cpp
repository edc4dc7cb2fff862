#include "worker/claim.hpp"

#include <algorithm>
#include <random>

#include "common/pg/error.hpp"
#include "common/queries.hpp"

namespace rowrunner {

namespace asio = boost::asio;

namespace {

/// What a claim answers before the columns of the handler.
enum answer_column {
  seen,
  last_priority,
  last_seq,
  place_priority,
  place_seq,
  id,
  attempts,
  max_attempts,
  first_own
};

constexpr const char* lock_not_available = "55P03";
/// A claim around locked jobs costs more per job and joins without an index: keep it small.
constexpr int careful_batch = 50;

/// 63 random bits: the fencing token. Not from a sequence, as a crash of the server would hand out
/// the numbers of asynchronously committed claims again.
std::int64_t draw_lease() {
  static std::random_device device;
  const auto bits = (std::uint64_t{device()} << 32) | device();
  return static_cast<std::int64_t>(bits & 0x7fffffffffffffffU);
}

place read_place(const pg::result& answer, int row, answer_column priority, answer_column seq) {
  return {static_cast<std::int16_t>(answer.get_int(row, priority)), answer.get_int(row, seq)};
}

/// Where the next claim may start. Only a careful claim says it, as it leaves places behind; what
/// others have seen is gone, so there it is the last one that yielded a job.
place last_place(const claimed& got, place behind) {
  if (!got.answer.is_null(0, last_seq)) return read_place(got.answer, 0, last_priority, last_seq);
  place last = behind;
  for (int row = 0; row < got.jobs; ++row) {
    last = std::max(last, read_place(got.answer, row, place_priority, place_seq));
  }
  return last;
}

}  // namespace

claimer::claimer(pg::session& session, lease_book& leases, logger& log, std::string worker_name,
                 std::chrono::milliseconds lease)
    : session_(session),
      leases_(leases),
      log_(log),
      worker_name_(std::move(worker_name)),
      lease_(lease),
      turn_(queries::claim_turn.statement()),
      settings_(queries::claim_settings.statement()),
      write_settings_(queries::write_settings.statement()),
      next_place_(queries::next_place.statement()) {}

asio::awaitable<claimed> claimer::claim(lane& home, int at_most) {
  const auto begun = lane::clock::now();
  const auto behind = home.cursor.start(begun);
  const auto lease = draw_lease();
  pg::result answer;
  bool blocked = false;
  try {
    answer = co_await take(home, home.sql.claim, behind, at_most, lease);
  } catch (const pg::query_error& e) {
    if (e.sqlstate() != lock_not_available) throw;
    blocked = true;
  }
  if (blocked) {
    at_most = std::min(at_most, careful_batch);
    answer = co_await take_around_locks(home, behind, at_most, lease);
    if (!answer) co_return claimed{};
  }
  claimed got;
  got.lease = lease;
  got.jobs = answer.is_null(0, id) ? 0 : answer.rows();
  got.seen = static_cast<int>(answer.get_int(0, seen));
  got.from_front = behind == place{};
  got.answer = std::move(answer);
  const auto now = lane::clock::now();
  home.count(&worker_counts::claimed, got.jobs);
  home.cursor.saw(got.seen, at_most, last_place(got, behind), begun, now);
  if (got.jobs > 0 && !leases_.in_time(begun, now)) {
    // The lease may be over before a heartbeat is through: nothing is started under it.
    log_.warn("the answer to a claim came too late", {{"kind", home.kind.kind}, {"lease", lease}});
    home.count(&worker_counts::refused, got.jobs);
    home.not_started += got.jobs;
    doubtful_.push_back({&home, lease, now});
    next_abandon_ = {};
    got.jobs = 0;
  }
  if (got.jobs > 0) leases_.open(lease, static_cast<std::size_t>(got.jobs), begun);
  co_return got;
}

asio::awaitable<pg::result> claimer::take(lane& home, const pg::statement& how, place behind,
                                          int at_most, std::int64_t lease) {
  std::vector<pg::call> calls;
  if (behind != place{} && &how == &home.sql.claim) {
    // Each in turn, so that everybody waits as long as everybody else.
    home.turn_queue = 1 - home.turn_queue;
    calls.push_back(pg::with(turn_, std::to_string(home.kind.id), std::to_string(home.turn_queue)));
  }
  calls.push_back(pg::with(settings_));
  calls.push_back(pg::with(how, std::to_string(home.kind.id), std::to_string(behind.priority),
                           std::to_string(behind.seq), std::to_string(at_most),
                           std::to_string(lease), worker_name_, std::to_string(lease_.count())));
  try {
    auto answers = co_await session_.run(std::move(calls));
    co_return std::move(answers.back());
  } catch (const pg::connection_lost& e) {
    if (e.maybe_committed) doubtful_.push_back({&home, lease, lane::clock::now()});
    throw;
  }
}

/// Somebody else holds the row of a job, or a row that its triggers change. Takes what is free; if
/// even that waits for somebody, passes over the first place, so that the rest of the line moves.
asio::awaitable<pg::result> claimer::take_around_locks(lane& home, place behind, int at_most,
                                                       std::int64_t lease) {
  try {
    co_return co_await take(home, home.sql.claim_careful, behind, at_most, lease);
  } catch (const pg::query_error& e) {
    if (e.sqlstate() != lock_not_available) throw;
  }
  const auto first = co_await session_.run_one(pg::with(next_place_, std::to_string(home.kind.id),
                                                        std::to_string(behind.priority),
                                                        std::to_string(behind.seq)));
  if (first.rows() == 1) {
    home.cursor.skip({static_cast<std::int16_t>(first.get_int(0, 0)), first.get_int(0, 1)});
    log_.debug("a job is locked by another session and passed over", {{"kind", home.kind.kind}});
  }
  co_return pg::result{};
}

std::vector<job_ptr> claimer::read(lane& home, const claimed& got) {
  const auto& answer = got.answer;
  std::vector<job_ptr> jobs;
  if (!leases_.usable(got.lease)) {
    home.count(&worker_counts::refused, got.jobs);
    leases_.forget(got.lease);
    return jobs;
  }
  jobs.reserve(static_cast<std::size_t>(got.jobs));
  const auto options = std::make_shared<const kind_options>(home.options);
  for (int row = 0; row < got.jobs; ++row) {
    auto job = std::make_shared<running_job>();
    job->home = &home;
    job->options = options;
    job->id = answer.get_uuid(row, id);
    job->lease = got.lease;
    job->stood_at = read_place(answer, row, place_priority, place_seq);
    job->attempts = static_cast<int>(answer.get_int(row, attempts));
    job->max_attempts = static_cast<int>(answer.get_int(row, max_attempts));
    for (int column = first_own; column < answer.columns(); ++column) {
      if (answer.is_null(row, column)) {
        job->columns.emplace_back();
      } else {
        job->columns.emplace_back(answer.get(row, column));
      }
    }
    jobs.push_back(std::move(job));
  }
  const auto before = [](const job_ptr& a, const job_ptr& b) { return a->stood_at < b->stood_at; };
  // The server answers them so, but does not promise it.
  if (!std::is_sorted(jobs.begin(), jobs.end(), before)) {
    std::sort(jobs.begin(), jobs.end(), before);
  }
  return jobs;
}

asio::awaitable<void> claimer::abandon_doubtful() {
  if (doubtful_.empty() || lane::clock::now() < next_abandon_) co_return;
  next_abandon_ = lane::clock::now() + std::chrono::seconds{1};
  for (std::size_t i = 0; i < doubtful_.size();) {
    const auto [home, lease, since] = doubtful_[i];
    const auto answers = co_await session_.run(pg::together(
        pg::with(write_settings_), pg::with(home->sql.abandon, std::to_string(lease))));
    const auto back = answers.back().rows();
    if (back > 0) {
      log_.warn("jobs of a claim whose answer was lost or late were given back",
                {{"kind", home->kind.kind}, {"lease", lease}, {"jobs", back}});
      home->count(&worker_counts::released, back);
    }
    if (back > 0 || lane::clock::now() > since + lease_) {
      doubtful_.erase(doubtful_.begin() + static_cast<std::ptrdiff_t>(i));
    } else {
      ++i;
    }
  }
}

}  // namespace rowrunner
