#include "worker/job_writes.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <stop_token>

#include "common/event.hpp"
#include "common/pg/until_answered.hpp"
#include "common/storable.hpp"
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

job_writes::job_writes(std::shared_ptr<asio::io_context> io, pg::session& steps,
                       pg::session& reports, logger& log, std::function<void(const job_ptr&)> lost)
    : io_(std::move(io)),
      session_(steps),
      lost_(std::move(lost)),
      steps_(*io_, steps),
      progress_(*io_, reports, log, lost_),
      steps_of_(queries::steps_of.statement()),
      settings_(queries::write_settings.statement()) {}

/// For reads, which may run twice: a database that went away is asked again for as long
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
  // A call that was not sent yet is dropped.
  asio::post(*io_, [sent] { sent->leave.emit(asio::cancellation_type::terminal); });
  if (cancelled) std::rethrow_exception(cancelled);
  throw job_stopped("the job was told to stop");
}

asio::awaitable<std::optional<nlohmann::json>> job_writes::stored_step(job_ptr job,
                                                                       std::string name) {
  if (!job->steps) {
    const auto rows = co_await run(job, pg::with(steps_of_, kind_id(job), job->id));
    // Another coroutine of the same job may have read them meanwhile, and have stored more.
    if (!job->steps) {
      auto& steps = job->steps.emplace();
      for (int row = 0; row < rows.rows(); ++row) {
        steps.emplace(rows.get(row, 0), nlohmann::json::parse(rows.get(row, 1)));
      }
    }
  }
  const auto found = job->steps->find(name);
  if (found == job->steps->end()) co_return std::nullopt;
  co_return found->second;
}

/// A handler that is told to stop, or whose await is cancelled, leaves at once.
asio::awaitable<void> job_writes::wait_until_answered(step_ptr step) {
  const auto& stopping = step->job->stopping;
  const std::stop_callback told(stopping.get_token(), [step] { step->changed.set(); });
  std::exception_ptr cancelled;
  try {
    while (step->answered == pending_step::answer::none && !stopping.stop_requested()) {
      co_await step->changed.wait_for(until_told);
    }
  } catch (...) {
    cancelled = std::current_exception();
  }
  step->abandoned = true;
  if (cancelled) std::rethrow_exception(cancelled);
  if (step->answered == pending_step::answer::none) throw job_stopped("the job was told to stop");
}

asio::awaitable<nlohmann::json> job_writes::store_step(job_ptr job, std::string name,
                                                       step_result given) {
  given.value = storable_json(std::move(given.value));
  const auto step =
      std::make_shared<pending_step>(io_->get_executor(), job, name, std::move(given));
  steps_.add(step);
  co_await wait_until_answered(step);
  switch (step->answered) {
    case pending_step::answer::lease_lost:
      lost_(job);
      throw job_stopped("step " + name + " was not stored: the lease of the job is lost");
    case pending_step::answer::refused:
      throw std::runtime_error("step " + name + " was refused by the database: " + step->reason);
    case pending_step::answer::exists:
      break;
    default:
      co_return std::move(step->given.value);
  }
  // It was stored before: its answer was lost, or two coroutines of the job ran it.
  job->steps.reset();
  auto stored = co_await stored_step(job, name);
  co_return stored ? std::move(*stored) : std::move(step->given.value);
}

}  // namespace rowrunner
