#include "worker/execute.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <rowrunner/job.hpp>

#include "worker/lane.hpp"

namespace rowrunner {

namespace asio = boost::asio;

namespace {

asio::awaitable<outcome> run_coroutine(job_ptr running, const coroutine_handler& handler) {
  job self{running};
  co_return co_await handler(self);
}

std::string message_of(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const std::exception& e) {
    return e.what();
  } catch (...) {
    return "the handler threw something that is not a std::exception";
  }
}

}  // namespace

verdict verdict_of(job_ptr job, std::optional<outcome> returned, std::string error) {
  const bool done = returned && std::holds_alternative<succeeded>(*returned);
  if (job->stop == stop_reason::none || done) {
    return {std::move(job),
            returned ? std::move(*returned) : outcome{failed{std::move(error), {}, false}}};
  }
  const std::string note = job->stop_note;
  switch (job->stop) {
    case stop_reason::cancelled:
      return {std::move(job), cancelled{note}};
    case stop_reason::timed_out:
      return {std::move(job), failed{note, {}, false}};
    case stop_reason::shutdown:
      return {std::move(job), snoozed{std::chrono::milliseconds{0}}};
    default:
      return {std::move(job), snoozed{std::chrono::milliseconds{0}}, true};
  }
}

void executor::start(const job_ptr& job) {
  job->started = std::chrono::steady_clock::now();
  watch_time(job);
  if (std::holds_alternative<coroutine_handler>(job->lane->handler)) {
    start_coroutine(job);
  } else {
    start_blocking(job);
  }
}

void executor::start_coroutine(const job_ptr& job) {
  auto ended = [this, job](const std::exception_ptr& thrown, outcome returned) {
    if (thrown) {
      settle(job, std::nullopt, message_of(thrown));
    } else {
      settle(job, std::move(returned), {});
    }
  };
  asio::co_spawn(*io_, run_coroutine(job, std::get<coroutine_handler>(job->lane->handler)),
                 asio::bind_cancellation_slot(job->signal.slot(), std::move(ended)));
}

void executor::start_blocking(const job_ptr& job) {
  // The thread may outlive the worker if it is given up, so it takes the handler by value and keeps
  // `io` alive, which then never runs the callback.
  auto work = [io = io_, this, job, handler = std::get<blocking_handler>(job->lane->handler)] {
    std::optional<outcome> returned;
    std::string error;
    try {
      blocking_job self{job};
      returned = handler(self);
    } catch (...) {
      error = message_of(std::current_exception());
    }
    asio::post(*io,
               [this, job, returned = std::move(returned), error = std::move(error)]() mutable {
                 settle(job, std::move(returned), std::move(error));
               });
  };
  job->pool_tasks.insert(pool_.post(std::move(work)));
}

void executor::watch_time(const job_ptr& job) {
  const auto limit = job->lane->options.timeout;
  if (limit.count() == 0) return;
  job->timer.emplace(*io_, limit);
  job->timer->async_wait([this, weak = std::weak_ptr(job), limit](const auto& error) {
    const auto still = weak.lock();
    if (error || !still) return;
    stop(still, stop_reason::timed_out, "timed out after " + std::to_string(limit.count()) + " ms");
  });
}

void executor::stop(const job_ptr& job, stop_reason reason, std::string note) {
  if (job->settled) return;
  const bool first = job->stop == stop_reason::none;
  if (!first && reason != stop_reason::lease_lost) return;
  job->stop = reason;
  job->stop_note = std::move(note);
  if (!first) return;
  give_up_later(job);
  job->stopping.request_stop();
  // Posted, because the signal may resume the coroutine right here, inside of the caller.
  asio::post(*io_, [job] {
    if (!job->settled) job->signal.emit(asio::cancellation_type::terminal);
  });
}

void executor::give_up_later(const job_ptr& job) {
  job->timer.emplace(*io_, patience);
  job->timer->async_wait([this, weak = std::weak_ptr(job)](const auto& error) {
    const auto still = weak.lock();
    if (error || !still || still->settled) return;
    for (const auto task : still->pool_tasks) pool_.give_up(task);
    settle(still, std::nullopt, {});
  });
}

void executor::settle(const job_ptr& job, std::optional<outcome> returned, std::string error) {
  if (job->settled) return;
  job->settled = true;
  job->timer.reset();
  settled_(verdict_of(job, std::move(returned), std::move(error)));
}

}  // namespace rowrunner
