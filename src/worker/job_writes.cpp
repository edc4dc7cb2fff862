#include "worker/job_writes.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <stop_token>

#include "common/event.hpp"
#include "common/pg/until_answered.hpp"
#include "common/text.hpp"
#include "queries/engine.hpp"
#include "worker/lane.hpp"

namespace rowrunner {

namespace asio = boost::asio;

namespace {

std::string kind_id(const job_ptr& job) { return std::to_string(job->lane->kind.id); }

/// A call under way. It runs apart from the handler that waits for it: once sent, its answer has to
/// be awaited, for as long as the connection waits, but a handler that is told to stop must not.
struct sent_call {
  explicit sent_call(const asio::any_io_executor& executor) : changed(executor) {}

  event changed;
  asio::cancellation_signal leave;
  bool over = false;
  std::exception_ptr failure;
  std::vector<pg::result> results;
};

constexpr std::chrono::hours until_told{24};

}  // namespace

job_writes::job_writes(std::shared_ptr<asio::io_context> io, pg::session& session,
                       std::function<void(const job_ptr&)> lost)
    : io_(std::move(io)),
      session_(session),
      lost_(std::move(lost)),
      steps_of_(queries::steps_of.statement()),
      settings_(queries::write_settings.statement()) {}

/// All of these statements may run twice, so a database that went away is asked again for as long
/// as the job may run.
asio::awaitable<pg::result> job_writes::run(job_ptr job, pg::call call) {
  const std::function<void()> may_run = [job] {
    if (job->stopping.stop_requested()) throw job_stopped("the job was told to stop");
  };
  const auto sent = std::make_shared<sent_call>(io_->get_executor());
  asio::co_spawn(
      *io_,
      pg::until_answered(session_, pg::together(pg::with(settings_), std::move(call)), may_run),
      asio::bind_cancellation_slot(sent->leave.slot(), [sent](const std::exception_ptr& failure,
                                                              std::vector<pg::result> results) {
        sent->over = true;
        sent->failure = failure;
        sent->results = std::move(results);
        sent->changed.set();
      }));
  const std::stop_callback told(job->stopping.get_token(), [sent] { sent->changed.set(); });
  std::exception_ptr cancelled;
  try {
    while (!sent->over && !job->stopping.stop_requested()) {
      co_await sent->changed.wait_for(until_told);
    }
  } catch (...) {
    cancelled = std::current_exception();
  }
  if (sent->over && !cancelled) {
    if (sent->failure) std::rethrow_exception(sent->failure);
    co_return std::move(sent->results.back());
  }
  // What is not sent yet is withdrawn.
  asio::post(*io_, [sent] { sent->leave.emit(asio::cancellation_type::terminal); });
  if (cancelled) std::rethrow_exception(cancelled);
  throw job_stopped("the job was told to stop");
}

asio::awaitable<void> job_writes::write(job_ptr job, pg::call call, const char* what) {
  const auto written = co_await run(job, std::move(call));
  if (written.affected() != 1) {
    lost_(job);
    throw job_stopped(std::string{what} + " was refused: the lease of the job is lost");
  }
}

asio::awaitable<std::optional<nlohmann::json>> job_writes::stored_step(job_ptr job,
                                                                       std::string name) {
  if (!job->steps) {
    const auto rows = co_await run(job, pg::with(steps_of_, kind_id(job), job->id));
    auto& steps = job->steps.emplace();
    for (int row = 0; row < rows.rows(); ++row) {
      steps.emplace(rows.get(row, 0), nlohmann::json::parse(rows.get(row, 1)));
    }
  }
  const auto found = job->steps->find(name);
  if (found == job->steps->end()) co_return std::nullopt;
  co_return found->second;
}

asio::awaitable<void> job_writes::store_step(job_ptr job, std::string name, nlohmann::json result) {
  check_text("step name", name);
  auto call = pg::with(job->lane->sql.step_done, kind_id(job), job->id, std::to_string(job->lease),
                       name, result.dump());
  co_await write(job, std::move(call), "a step");
  if (job->steps) job->steps->emplace(std::move(name), std::move(result));
}

asio::awaitable<void> job_writes::progress(job_ptr job, std::int64_t done, std::int64_t total,
                                           std::string message) {
  auto call = pg::with(job->lane->sql.progress, kind_id(job), job->id, std::to_string(job->lease),
                       std::to_string(done), std::to_string(total), printable(message, 2000));
  co_await write(job, std::move(call), "progress");
}

}  // namespace rowrunner
