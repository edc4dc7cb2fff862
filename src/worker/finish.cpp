#include "worker/finish.hpp"

#include <algorithm>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <map>

#include "common/pg/array.hpp"
#include "common/pg/backoff.hpp"
#include "common/pg/binary_array.hpp"
#include "common/pg/error.hpp"
#include "common/schema/job_status.hpp"
#include "queries/engine.hpp"
#include "queries/session.hpp"
#include "worker/progress_writer.hpp"

namespace rowrunner {

namespace asio = boost::asio;

namespace {

using clock = finish_plan::clock;

/// What write_settings sets.
constexpr std::chrono::milliseconds usual_lock_timeout{1'000};
/// What was refused before is tried beside the new outcomes, which must not wait for it.
constexpr std::chrono::milliseconds brief_lock_timeout{50};

std::vector<std::int64_t> leases_of(const std::vector<verdict>& verdicts) {
  std::vector<std::int64_t> leases;
  leases.reserve(verdicts.size());
  for (const auto& v : verdicts) leases.push_back(v.job->lease);
  return leases;
}

}  // namespace

finisher::finisher(asio::io_context& io, pg::session& session, lease_book& leases,
                   const lane_list& lanes, changes& changed, logger& log, std::string worker_name)
    : io_(io),
      session_(session),
      leases_(leases),
      lanes_(lanes),
      changed_(changed),
      log_(log),
      worker_name_(std::move(worker_name)),
      arrived_(io.get_executor()),
      settings_(queries::write_settings.statement()),
      lock_timeout_(queries::lock_timeout.statement()),
      end_leases_(queries::end_leases.statement()),
      attempts_of_failures_(queries::attempts_of_failures.statement()),
      begin_(queries::begin.statement()),
      own_search_path_(queries::own_search_path.statement()),
      commit_(queries::commit.statement()),
      rollback_(queries::rollback.statement()) {}

void finisher::add(verdict v) {
  plan_.add(std::move(v));
  arrived_.set();
}

void finisher::drop(const running_job& job) {
  job.lane->counts.add(&worker_counts::refused);
  if (job.lease_rejected) {
    leases_.settled({job.lease}, lease_book::unknown_server);
  } else {
    leases_.forget(job.lease);
  }
}

void finisher::close() {
  plan_.close();
  arrived_.set();
}

asio::awaitable<void> finisher::run() {
  while (!plan_.ended()) {
    if (const auto time = plan_.wait(clock::now())) {
      co_await arrived_.wait_for(*time);
      continue;
    }
    co_await gather();
    co_await write_each(plan_.take_new(clock::now()), lock_wait::usual);
    co_await write_each(plan_.take_refused(clock::now()), lock_wait::brief);
    wrote();
  }
  ended_ = true;
  wrote();
}

void finisher::wrote() {
  ++rounds_;
  changed_.for_loop.set();
  changed_.for_worker.set();
}

asio::awaitable<void> finisher::gather() {
  const auto to_start = [this] {
    return std::any_of(lanes_.begin(), lanes_.end(),
                       [](const auto& lane) { return lane->jobs.more_to_start(); });
  };
  const auto begun = clock::now();
  while (plan_.gathers(to_start(), begun, clock::now())) {
    co_await pause(finish_plan::longest_gathering / 8);
  }
}

asio::awaitable<void> finisher::write_each(std::vector<batch> batches, lock_wait how) {
  for (auto& each : batches) {
    const auto size = each.size();
    co_await write(std::move(each), how);
    plan_.put_down(size);
  }
}

asio::awaitable<void> finisher::write(batch verdicts, lock_wait how) {
  pg::backoff backoff;
  auto step = write_step::write;
  while (step != write_step::done) {
    if (step == write_step::write) {
      step = after_write(co_await try_write(verdicts, how));
    } else {
      bool answered = true;
      verdicts = co_await still_open(std::move(verdicts), answered);
      step = after_reread(answered, verdicts.size());
    }
    if (step == write_step::retry_later) {
      retry_later(std::move(verdicts));
      co_return;
    }
    if (step == write_step::reread) {
      log_.warn("jobs could not be ended yet",
                {{"jobs", verdicts.size()}, {"reason", last_error_.text}});
      co_await pause(backoff.next(rng_));
    }
  }
}

/// The lease of a verdict that is dropped is left to expire; a rescue then decides what becomes of
/// the job.
void finisher::retry_later(batch verdicts) {
  auto& job = *verdicts.front().job;
  if (verdicts.size() == 1 && drops_progress(verdicts.front(), last_error_)) {
    drop_progress(job, log_, last_error_.text);
  } else if (verdicts.size() == 1 &&
             pg::classify(last_error_.sqlstate) == pg::error_class::permanent) {
    log_.warn("the end of a job was refused by the database",
              {{"kind", job.lane->options.kind}, {"job", job.id}, {"reason", last_error_.text}});
  }
  for (const auto& v : plan_.refused(std::move(verdicts), last_error_, clock::now())) {
    log_.error("the end of a job cannot be written; its lease is left to expire",
               {{"kind", v.job->lane->options.kind},
                {"job", v.job->id},
                {"lease", v.job->lease},
                {"reason", last_error_.text}});
    leases_.forget(v.job->lease);
  }
}

asio::awaitable<void> finisher::pause(std::chrono::steady_clock::duration time) {
  asio::steady_timer timer(io_, time);
  co_await timer.async_wait(asio::use_awaitable);
}

/// If it is uncertain what became of some of the verdicts, these are left in the batch.
asio::awaitable<write_attempt> finisher::try_write(batch& verdicts, lock_wait how) {
  auto leases = leases_of(verdicts);
  std::vector<std::int64_t> ended;
  const auto begun = clock::now();
  try {
    auto turn = co_await session_.acquire(pg::session::urgency::next);
    // Only now: steps use this session too, and may hold it while they wait for a lock.
    ended = leases_.ending(leases, server_);
    auto calls = opening_calls(ended, how);
    batch uncertain;
    if (has_effects(verdicts.front())) {
      uncertain = co_await write_with_effects(turn, verdicts, std::move(calls));
    } else {
      uncertain = co_await write_plain(turn, verdicts, std::move(calls));
    }
    for (const auto& v : uncertain)
      leases.erase(std::find(leases.begin(), leases.end(), v.job->lease));
    leases_.settled(leases, server_);
    plan_.written(verdicts);
    times_.seconds.add(std::chrono::duration<double>(clock::now() - begun).count());
    times_.jobs.add(static_cast<double>(verdicts.size()));
    if (uncertain.empty()) co_return write_attempt::written;
    verdicts = std::move(uncertain);
    last_error_ = {"", "", "an earlier write of them was not answered"};
    co_return write_attempt::uncertain;
  } catch (const pg::query_error& e) {
    const bool effects = has_effects(verdicts.front());
    last_error_ = {effects ? effect_sqlstate(e) : e.sqlstate(), e.statement_name(), e.what()};
  } catch (const pg::connection_lost& e) {
    last_error_ = {"08006", "", e.what()};
    for (auto& v : verdicts) v.unanswered = v.unanswered || e.maybe_committed;
  } catch (const pg::error& e) {
    last_error_ = {"08006", "", e.what()};
  }
  leases_.not_ended(ended);
  co_return failed_attempt(last_error_.sqlstate);
}

std::vector<pg::call> finisher::opening_calls(const std::vector<std::int64_t>& ended,
                                              lock_wait how) {
  auto calls = pg::together(pg::with(settings_));
  const auto patience = std::min(usual_lock_timeout, leases_.longest_end(ended));
  const auto lock_timeout = how == lock_wait::brief ? brief_lock_timeout : patience;
  if (lock_timeout != usual_lock_timeout) {
    calls.push_back(pg::with(lock_timeout_, std::to_string(lock_timeout.count()) + "ms"));
  }
  if (!ended.empty()) {
    calls.push_back(pg::with(end_leases_, pg::array(ended), std::to_string(server_)));
  }
  return calls;
}

asio::awaitable<finisher::batch> finisher::write_plain(pg::session::turn& turn,
                                                       const batch& verdicts,
                                                       std::vector<pg::call> calls) {
  const auto groups = grouped(verdicts);
  for (const auto& g : groups) append_last_progress(calls, g);
  const auto first = calls.size();
  for (const auto& g : groups) calls.push_back(call_for(g, worker_name_, rng_));
  const auto answers = co_await turn->run(std::move(calls));
  server_ = answers.front().get_int(0, 0);
  co_return account(groups, answers, first);
}

/// Two round trips: the ends, then the effects of the jobs for which they counted, and the commit.
asio::awaitable<finisher::batch> finisher::write_with_effects(pg::session::turn& turn,
                                                              const batch& verdicts,
                                                              std::vector<pg::call> calls) {
  calls.insert(calls.begin(), pg::with(begin_));
  const auto groups = grouped(verdicts);
  for (const auto& g : groups) append_last_progress(calls, g);
  const auto first = calls.size();
  for (const auto& g : groups) calls.push_back(call_for(g, worker_name_, rng_));
  std::vector<pg::result> answers;
  std::exception_ptr trouble;
  try {
    answers = co_await turn->run(std::move(calls));
    effect_calls effects;
    co_await turn->run(closing_calls(groups, answers, first, effects));
  } catch (const pg::query_error&) {
    trouble = std::current_exception();
  }
  if (trouble) {
    co_await turn->run(pg::together(pg::with(rollback_)));
    std::rethrow_exception(trouble);
  }
  server_ = answers[1].get_int(0, 0);
  co_return account(groups, answers, first);
}

/// The effects of the jobs for which the write counted, and the commit.
std::vector<pg::call> finisher::closing_calls(const std::vector<end_group>& groups,
                                              const std::vector<pg::result>& answers,
                                              std::size_t first, effect_calls& effects) {
  auto calls = pg::together(pg::with(own_search_path_));
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const auto counted = read_ends(groups[i], answers[first + i]);
    for (std::size_t k = 0; k < counted.size(); ++k) {
      if (!counted[k]) continue;
      effects.append_to(calls, effects_of(*groups[i].members[k]));
    }
  }
  calls.push_back(pg::with(commit_));
  return calls;
}

std::vector<pg::call> finisher::reread_calls(const end_group& g) const {
  std::vector<std::string_view> ids;
  std::vector<std::int64_t> leases;
  for (const auto* v : g.members) {
    ids.push_back(v->job->id);
    leases.push_back(v->job->lease);
  }
  auto calls = pg::together(pg::with(settings_), pg::with(g.lane->sql.reread, pg::uuid_array(ids),
                                                          pg::int_array(leases)));
  if (g.statement == end_statement::fail) {
    calls.push_back(attempts_call(attempts_of_failures_, g, worker_name_));
  }
  return calls;
}

/// The answer to a COMMIT was lost, or may have been: asks the jobs themselves. What is still
/// processing under our lease is to be written again.
asio::awaitable<finisher::batch> finisher::still_open(batch verdicts, bool& answered) {
  batch open;
  for (const auto& g : grouped(verdicts)) {
    std::vector<pg::result> answers;
    try {
      answers = co_await session_.run(reread_calls(g));
    } catch (const pg::error& e) {
      last_error_ = {e.sqlstate(), "", e.what()};
      answered = false;
      for (const auto* v : g.members) open.push_back(*v);
      continue;
    }
    server_ = answers.front().get_int(0, 0);
    const auto found = read_again(g, answers[1], answers.size() > 2 ? &answers[2] : nullptr);
    for (std::size_t i = 0; i < found.size(); ++i) {
      const auto& v = *g.members[i];
      if (found[i] == job_status::processing) {
        open.push_back(v);
        continue;
      }
      if (!found[i] && v.unanswered && g.statement == end_statement::release) {
        // A release clears the lease and leaves nothing else behind, so nobody can tell.
        note(v, nullptr, log_level::info,
             "the answer to the release of a job was lost: it was released, or its lease is lost");
      } else {
        account_one(v, found[i]);
      }
      leases_.settled({v.job->lease}, server_);
    }
  }
  co_return open;
}

/// Gives those of which it is uncertain whether an earlier write ended them.
finisher::batch finisher::account(const std::vector<end_group>& groups,
                                  const std::vector<pg::result>& answers, std::size_t first) {
  batch uncertain;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const auto& members = groups[i].members;
    const auto found = read_ends(groups[i], answers[first + i]);
    for (std::size_t k = 0; k < members.size(); ++k) {
      if (!found[k] && members[k]->unanswered) {
        uncertain.push_back(*members[k]);
      } else {
        account_one(*members[k], found[k]);
      }
    }
  }
  return uncertain;
}

/// Adds one to a counter, if any, and writes a line into the log.
void finisher::note(const verdict& v, std::int64_t worker_counts::*what, log_level level,
                    std::string_view text, const std::string& error) {
  if (what != nullptr) v.job->lane->counts.add(what);
  if (!log_.enabled(level)) return;
  log_.event(level, text,
             {{"kind", v.job->lane->options.kind},
              {"job", v.job->id},
              {"lease", v.job->lease},
              {"attempt", v.job->attempts + 1},
              {"duration_ms", ran_ms(*v.job)},
              {"error", error}});
}

void finisher::account_one(const verdict& v, std::optional<std::string_view> answered_status) {
  using counts = worker_counts;
  if (!answered_status) {
    note(v, &counts::refused, log_level::warn, "fenced: the lease of the job is lost");
    return;
  }
  std::visit(
      overloaded{
          [&](const succeeded&) { note(v, &counts::succeeded, log_level::debug, "succeeded"); },
          [&](const failed& how) {
            if (*answered_status == job_status::queued) {
              note(v, &counts::retried, log_level::warn, "failed, will be retried", how.error);
            } else {
              note(v, &counts::failed, log_level::error, "failed", how.error);
            }
          },
          [&](const snoozed&) { note(v, &counts::released, log_level::debug, "snoozed"); },
          [&](const released&) { note(v, &counts::released, log_level::debug, "released"); },
          [&](const cancelled& how) {
            note(v, &counts::cancelled, log_level::info, "cancelled", how.reason);
          }},
      v.result);
}

}  // namespace rowrunner
