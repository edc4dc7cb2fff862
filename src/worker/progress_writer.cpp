#include "worker/progress_writer.hpp"

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <map>

#include "common/pg/array.hpp"
#include "common/pg/binary_array.hpp"
#include "common/pg/error.hpp"
#include "queries/engine.hpp"
#include "worker/lane.hpp"

namespace rowrunner {

namespace asio = boost::asio;

namespace {

constexpr std::chrono::milliseconds between_writes{250};

/// What is sent at once: so many reports, or more if it takes more for each job's turn to come
/// within four writes. Ends wait for the server while it writes, and for this thread while it
/// sends.
constexpr std::size_t few_at_once = 250;
constexpr std::size_t writes_for_all = 4;

}  // namespace

pg::call progress_call(const pg::statement& statement, const lane& of,
                       const std::vector<const running_job*>& jobs) {
  std::vector<std::string_view> ids;
  std::vector<std::int64_t> leases, done, total;
  std::vector<std::string> messages;
  for (const auto* job : jobs) {
    ids.push_back(job->id);
    leases.push_back(job->lease);
    done.push_back(job->progress->done);
    total.push_back(job->progress->total);
    messages.push_back(job->progress->message);
  }
  return pg::with(statement, std::to_string(of.kind.id), pg::uuid_array(ids), pg::int_array(leases),
                  pg::int_array(done), pg::int_array(total), pg::array(messages));
}

void drop_progress(running_job& job, logger& log, const std::string& reason) {
  job.progress.reset();
  if (std::exchange(job.progress_refused, true)) return;
  log.warn("the database refuses the progress of a job, which is not written any more",
           {{"kind", job.lane->options.kind}, {"job", job.id}, {"reason", reason}});
}

progress_writer::progress_writer(asio::io_context& io, pg::session& session, logger& log,
                                 std::function<void(const job_ptr&)> lost)
    : io_(io),
      session_(session),
      log_(log),
      lost_(std::move(lost)),
      arrived_(io.get_executor()),
      settings_(queries::progress_settings.statement()) {}

void progress_writer::report(const job_ptr& job, progress_report report) {
  if (job->ended || job->progress_refused) return;
  job->progress = std::move(report);
  write_later(job);
  arrived_.set();
  if (std::exchange(started_, true)) return;
  asio::co_spawn(io_, run(), [](const std::exception_ptr& thrown) {
    if (thrown) std::rethrow_exception(thrown);
  });
}

asio::awaitable<void> progress_writer::run() {
  asio::steady_timer timer(io_);
  for (;;) {
    while (waiting_.empty()) co_await arrived_.wait_for(std::chrono::hours{1});
    std::map<lane*, std::vector<job_ptr>> by_lane;
    for (auto& job : take_turn()) by_lane[job->lane].push_back(job);
    for (auto& [lane, jobs] : by_lane) co_await write(*lane, std::move(jobs));
    timer.expires_after(between_writes);
    co_await timer.async_wait(asio::use_awaitable);
  }
}

/// Those that have waited longest.
std::vector<job_ptr> progress_writer::take_turn() {
  std::erase_if(waiting_, [](const job_ptr& job) { return job->ended; });
  const auto share = (waiting_.size() + writes_for_all - 1) / writes_for_all;
  const auto end = waiting_.begin() + static_cast<std::ptrdiff_t>(
                                          std::min(waiting_.size(), std::max(share, few_at_once)));
  std::vector<job_ptr> taken(waiting_.begin(), end);
  waiting_.erase(waiting_.begin(), end);
  for (const auto& job : taken) job->report_waits = false;
  return taken;
}

/// What cannot be written now is written with the next round, if nothing newer is there by then.
asio::awaitable<void> progress_writer::write(lane& of, std::vector<job_ptr> jobs) {
  std::erase_if(jobs, [](const job_ptr& job) { return job->ended || !job->progress; });
  if (jobs.empty()) co_return;
  std::sort(jobs.begin(), jobs.end(),
            [](const job_ptr& a, const job_ptr& b) { return a->id < b->id; });
  std::vector<const running_job*> sent;
  for (const auto& job : jobs) sent.push_back(job.get());
  auto calls = pg::together(pg::with(settings_), progress_call(of.sql.progress, of, sent));
  std::string refusal;
  try {
    const auto answers = co_await session_.run(std::move(calls));
    read_answer(jobs, answers.back());
    co_return;
  } catch (const pg::error& e) {
    if (pg::classify(e.sqlstate()) == pg::error_class::permanent) refusal = e.what();
  }
  if (refusal.empty()) {
    for (const auto& job : jobs) write_later(job);
  } else if (jobs.size() > 1) {
    co_await write_halves(of, std::move(jobs));
  } else {
    drop_progress(*jobs.front(), log_, refusal);
  }
}

/// One report that the database refuses must not keep the others from being written.
asio::awaitable<void> progress_writer::write_halves(lane& of, std::vector<job_ptr> jobs) {
  const auto middle = jobs.begin() + static_cast<std::ptrdiff_t>(jobs.size() / 2);
  std::vector<job_ptr> second(middle, jobs.end());
  jobs.erase(middle, jobs.end());
  co_await write(of, std::move(jobs));
  co_await write(of, std::move(second));
}

void progress_writer::write_later(const job_ptr& job) {
  if (!std::exchange(job->report_waits, true)) waiting_.push_back(job);
}

/// What is written stays with its job, and is written once more with its end: a crash of the server
/// takes back what did not wait for the disk.
void progress_writer::read_answer(const std::vector<job_ptr>& jobs, const pg::result& answer) {
  enum class fate { lost, written, locked };
  std::vector<fate> found(jobs.size(), fate::lost);
  for (int row = 0; row < answer.rows(); ++row) {
    found.at(static_cast<std::size_t>(answer.get_int(row, 0) - 1)) =
        answer.get(row, 1) == "written" ? fate::written : fate::locked;
  }
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (jobs[i]->ended) continue;
    if (found[i] == fate::lost) {
      lost_(jobs[i]);
    } else if (found[i] == fate::locked) {
      write_later(jobs[i]);
    }
  }
}

}  // namespace rowrunner
