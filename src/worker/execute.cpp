#include "worker/execute.hpp"

#include <algorithm>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <rowrunner/job.hpp>

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

double in_seconds(std::chrono::steady_clock::duration time) {
  return std::chrono::duration<double>(time).count();
}

}  // namespace

void executor::submit(lane& lane, std::vector<job_ptr> jobs, int claimed) {
  lane.jobs.add(std::move(jobs), claimed, lane_jobs::clock::now());
  if (closed_) {
    release_waiting(lane);
  } else {
    start_waiting(lane);
  }
}

/// A handler that never waits may end before start() returns and free its slot again: run_ended()
/// leaves that to this loop, or they would call each other ever deeper.
void executor::start_waiting(lane& lane) {
  if (closed_ || starting_ == &lane) return;
  const auto* const before = std::exchange(starting_, &lane);
  while (const auto job = lane.jobs.start_next()) start(job);
  starting_ = before;
  const auto now = lane_jobs::clock::now();
  lane.jobs.measure(now);
  if (lane.claims.may_claim(now) && lane.jobs.wanted() > 0) changed_.for_loop.set();
}

void executor::release_stuck(lane& lane) {
  lane.jobs.reset_estimate();
  lane.counts.not_started(static_cast<std::int64_t>(lane.jobs.waiting()));
  release_waiting(lane);
}

void executor::release_waiting(lane& lane) {
  for (auto& job : lane.jobs.take_waiting()) finish_.add({std::move(job), released{}});
}

void executor::close() {
  closed_ = true;
  for (const auto& lane : lanes_) release_waiting(*lane);
}

bool executor::idle() const {
  return std::all_of(lanes_.begin(), lanes_.end(),
                     [](const auto& lane) { return lane->jobs.idle(); });
}

void executor::start(const job_ptr& job) {
  job->started = std::chrono::steady_clock::now();
  if (job->due) job->lane->times.wait_seconds.add(in_seconds(job->started - *job->due));
  watch_time(job);
  if (std::holds_alternative<coroutine_handler>(job->lane->handler)) {
    start_coroutine(job);
  } else {
    start_blocking(job);
  }
}

void executor::start_coroutine(const job_ptr& job) {
  auto on_end = [this, job](const std::exception_ptr& thrown, outcome returned) {
    if (thrown) {
      run_ended(job, std::nullopt, message_of(thrown));
    } else {
      run_ended(job, std::move(returned), {});
    }
  };
  asio::co_spawn(*io_, run_coroutine(job, std::get<coroutine_handler>(job->lane->handler)),
                 asio::bind_cancellation_slot(job->signal.slot(), std::move(on_end)));
}

void executor::start_blocking(const job_ptr& job) {
  // The thread may outlive the worker if it is abandoned, so it takes the handler by value and
  // keeps `io` alive, which then never runs the callback.
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
                 run_ended(job, std::move(returned), std::move(error));
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
  if (job->ended) return;
  const bool first = job->stop == stop_reason::none;
  if (!first && reason != stop_reason::lease_lost) return;
  job->stop = reason;
  job->stop_note = std::move(note);
  if (!first) return;
  abandon_later(job);
  job->stopping.request_stop();
  // Posted, because the signal may resume the coroutine right here, inside of the caller.
  asio::post(*io_, [job] {
    if (!job->ended) job->signal.emit(asio::cancellation_type::terminal);
  });
}

void executor::stop_all(stop_reason reason, const std::string& note) {
  for (const auto& lane : lanes_) {
    for (const auto& job : std::vector(lane->jobs.running().begin(), lane->jobs.running().end())) {
      stop(job, reason, note);
    }
  }
}

void executor::cancel(std::int64_t lease, std::string_view id, std::string note) {
  for (const auto& lane : lanes_) {
    const auto& running = lane->jobs.running();
    const auto found = std::find_if(running.begin(), running.end(), [&](const job_ptr& job) {
      return job->lease == lease && job->id == id;
    });
    if (found == running.end()) continue;
    stop(job_ptr{*found}, stop_reason::cancelled, std::move(note));
    return;
  }
}

void executor::reject(const job_ptr& job) {
  job->lease_rejected = true;
  stop(job, stop_reason::lease_lost, "a write was fenced");
}

void executor::lose(std::int64_t lease, const std::string& why) {
  for (const auto& lane : lanes_) {
    for (const auto& job : std::vector(lane->jobs.running().begin(), lane->jobs.running().end())) {
      if (job->lease == lease) stop(job, stop_reason::lease_lost, why);
    }
    for (const auto& job : lane->jobs.take_waiting(lease)) finish_.drop(*job);
  }
}

void executor::abandon_later(const job_ptr& job) {
  job->timer.emplace(*io_, patience);
  job->timer->async_wait([this, weak = std::weak_ptr(job)](const auto& error) {
    const auto still = weak.lock();
    if (error || !still || still->ended) return;
    for (const auto task : still->pool_tasks) pool_.abandon(task);
    run_ended(still, std::nullopt, {});
  });
}

void executor::run_ended(const job_ptr& job, std::optional<outcome> returned, std::string error) {
  if (job->ended) return;
  job->ended = true;
  job->timer.reset();
  job->lane->times.run_seconds.add(in_seconds(std::chrono::steady_clock::now() - job->started));
  job->lane->jobs.ended(job);
  if (auto how = ending_of(*job, std::move(returned), std::move(error))) {
    finish_.add({job, std::move(*how)});
  } else {
    finish_.drop(*job);
  }
  start_waiting(*job->lane);
  changed_.for_worker.set();
}

}  // namespace rowrunner
