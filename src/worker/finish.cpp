#include "worker/finish.hpp"

#include <algorithm>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <deque>
#include <map>

#include "common/pg/array.hpp"
#include "common/pg/backoff.hpp"
#include "common/pg/binary_array.hpp"
#include "common/pg/error.hpp"
#include "common/schema/job_status.hpp"
#include "queries/engine.hpp"
#include "queries/session.hpp"
#include "worker/finish_group.hpp"
#include "worker/lane.hpp"

namespace rowrunner {

namespace asio = boost::asio;

namespace {

constexpr std::size_t largest_batch = 2000;
/// A transaction costs the server about as much as the ends of so many jobs.
constexpr std::size_t small_batch = 100;
constexpr std::chrono::microseconds longest_gathering{2'000};
/// What write_settings sets.
constexpr std::chrono::milliseconds usual_lock_timeout{1'000};
/// What was refused before is tried beside the new outcomes, which must not wait for it.
constexpr std::chrono::milliseconds short_lock_timeout{50};

pg::statement unnamed(const std::string& sql) { return {"", sql}; }

bool has_effects(const verdict& v) {
  const auto* done = std::get_if<succeeded>(&v.result);
  return done != nullptr && !done->effects.empty();
}

std::vector<std::int64_t> leases_of(const std::vector<verdict>& verdicts) {
  std::vector<std::int64_t> leases;
  leases.reserve(verdicts.size());
  for (const auto& v : verdicts) leases.push_back(v.job->lease);
  return leases;
}

}  // namespace

finisher::finisher(asio::io_context& io, pg::session& session, lease_book& leases, logger& log,
                   std::string worker_name, hooks on)
    : io_(io),
      session_(session),
      leases_(leases),
      log_(log),
      worker_name_(std::move(worker_name)),
      on_(std::move(on)),
      arrived_(io.get_executor()),
      settings_(queries::write_settings.statement()),
      lock_timeout_(queries::lock_timeout.statement()),
      end_leases_(queries::end_leases.statement()),
      begin_(queries::begin.statement()),
      own_search_path_(queries::own_search_path.statement()),
      commit_(queries::commit.statement()),
      rollback_(queries::rollback.statement()) {}

void finisher::add(verdict v) {
  if (!v.dropped) {
    waiting_.push_back(std::move(v));
    arrived_.set();
    return;
  }
  v.job->lane->count(&worker_counts::refused);
  if (v.job->lease_rejected) {
    leases_.settled({v.job->lease}, lease_book::unknown_server);
  } else {
    leases_.forget(v.job->lease);
  }
}

void finisher::close() {
  closed_ = true;
  retries_.hurry();
  arrived_.set();
}

asio::awaitable<void> finisher::run() {
  while (!closed_ || pending() > 0) {
    const auto now = std::chrono::steady_clock::now();
    const auto next = std::min(retries_.next_due(), now + std::chrono::hours{1});
    if (waiting_.empty() && next > now) {
      co_await arrived_.wait_for(next - now);
      continue;
    }
    if (!waiting_.empty()) co_await write_new();
    co_await write_again();
    on_.wrote();
  }
  ended_ = true;
  on_.wrote();
}

asio::awaitable<void> finisher::write_new() {
  co_await gather();
  co_await write_each(take_new(), waits::patiently);
}

asio::awaitable<void> finisher::write_again() {
  co_await write_each(retries_.due(std::chrono::steady_clock::now()), waits::hardly);
}

asio::awaitable<void> finisher::write_each(std::vector<batch> batches, waits how) {
  for (const auto& each : batches) in_flight_ += each.size();
  for (auto& each : batches) {
    const auto size = each.size();
    co_await write_all(std::move(each), how);
    in_flight_ -= size;
  }
}

/// Those with effects take another transaction, and those of a kind that is in trouble do not hold
/// up the others.
std::vector<finisher::batch> finisher::take_new() {
  const std::size_t n = std::min(waiting_.size(), largest_batch);
  batch plain_ones, with_effects;
  std::map<std::pair<lane*, bool>, batch> troubled;
  for (std::size_t i = 0; i < n; ++i) {
    auto& v = waiting_[i];
    const bool effects = has_effects(v);
    if (retries_.in_trouble(v.job->lane)) {
      troubled[{v.job->lane, effects}].push_back(std::move(v));
    } else {
      (effects ? with_effects : plain_ones).push_back(std::move(v));
    }
  }
  waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(n));
  for (auto& [which, each] : troubled) {
    retries_.add(std::move(each), std::chrono::steady_clock::now());
  }
  std::vector<batch> batches;
  if (!plain_ones.empty()) batches.push_back(std::move(plain_ones));
  if (!with_effects.empty()) batches.push_back(std::move(with_effects));
  return batches;
}

asio::awaitable<void> finisher::gather() {
  const auto until = std::chrono::steady_clock::now() + longest_gathering;
  while (waiting_.size() < small_batch && !closed_ && on_.more_to_come() &&
         std::chrono::steady_clock::now() < until) {
    co_await pause(longest_gathering / 8);
  }
}

asio::awaitable<void> finisher::write_all(batch verdicts, waits how) {
  pg::backoff backoff;
  bool doubtful = false;
  while (!verdicts.empty()) {
    if (doubtful) {
      verdicts = co_await still_open(std::move(verdicts), doubtful);
      if (!doubtful) continue;
    } else {
      const auto ended = co_await try_write(verdicts, how);
      if (ended == attempt::written) co_return;
      if (ended == attempt::refused) {
        retry(std::move(verdicts));
        co_return;
      }
    }
    log_.warn("jobs could not be ended yet",
              {{"jobs", verdicts.size()}, {"reason", last_error_.text}});
    co_await pause(backoff.next(rng_));
    doubtful = true;
  }
}

/// What is given up keeps its lease until it expires; a rescue decides what becomes of the job.
void finisher::retry(batch verdicts) {
  const auto now = std::chrono::steady_clock::now();
  if (verdicts.size() == 1 && pg::classify(last_error_.sqlstate) == pg::error_class::permanent) {
    const auto& job = *verdicts.front().job;
    log_.warn("the end of a job was refused by the database",
              {{"kind", job.lane->options.kind}, {"job", job.id}, {"reason", last_error_.text}});
  }
  for (const auto& v : retries_.refused(std::move(verdicts), last_error_, now)) {
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

asio::awaitable<finisher::attempt> finisher::try_write(const batch& verdicts, waits how) {
  const auto leases = leases_of(verdicts);
  std::vector<std::int64_t> ended;
  try {
    auto turn = co_await session_.acquire(pg::session::urgency::next);
    // Only now: steps and progress have the session in turn, and may wait for somebody's lock.
    ended = leases_.ending(leases, server_);
    auto calls = opening_calls(ended, how);
    if (has_effects(verdicts.front())) {
      co_await write_with_effects(turn, verdicts, std::move(calls));
    } else {
      co_await write_plain(turn, verdicts, std::move(calls));
    }
    leases_.settled(leases, server_);
    retries_.written(verdicts);
    co_return attempt::written;
  } catch (const pg::query_error& e) {
    last_error_ = {e.sqlstate(), e.statement_name(), e.what()};
  } catch (const pg::error& e) {
    last_error_ = {"08006", "", e.what()};
  }
  leases_.not_ended(ended);
  co_return pg::classify(last_error_.sqlstate) == pg::error_class::connection ? attempt::unreachable
                                                                              : attempt::refused;
}

std::vector<pg::call> finisher::opening_calls(const std::vector<std::int64_t>& ended, waits how) {
  auto calls = pg::together(pg::with(settings_));
  const auto patience = std::min(usual_lock_timeout, leases_.longest_end());
  const auto lock_timeout = how == waits::hardly ? short_lock_timeout : patience;
  if (lock_timeout != usual_lock_timeout) {
    calls.push_back(pg::with(lock_timeout_, std::to_string(lock_timeout.count()) + "ms"));
  }
  if (!ended.empty())
    calls.push_back(pg::with(end_leases_, pg::array(ended), std::to_string(server_)));
  return calls;
}

asio::awaitable<void> finisher::write_plain(pg::session::turn& turn, const batch& verdicts,
                                            std::vector<pg::call> calls) {
  const auto first = calls.size();
  const auto groups = grouped(verdicts);
  for (const auto& g : groups) calls.push_back(call_for(g));
  const auto answers = co_await turn->run(std::move(calls));
  server_ = answers.front().get_int(0, 0);
  for (std::size_t i = 0; i < groups.size(); ++i) account(groups[i], answers[first + i]);
}

/// Two round trips: which jobs are still ours, then the effects of those and the commit.
asio::awaitable<void> finisher::write_with_effects(pg::session::turn& turn, const batch& verdicts,
                                                   std::vector<pg::call> calls) {
  calls.insert(calls.begin(), pg::with(begin_));
  const auto first = calls.size();
  const auto groups = grouped(verdicts);
  for (const auto& g : groups) calls.push_back(call_for(g));
  std::vector<pg::result> answers;
  std::exception_ptr trouble;
  try {
    answers = co_await turn->run(std::move(calls));
    std::deque<pg::statement> statements;
    auto effects = pg::together(pg::with(own_search_path_));
    for (std::size_t i = 0; i < groups.size(); ++i) {
      const auto counted = groups[i].read(answers[first + i]);
      for (std::size_t k = 0; k < counted.size(); ++k) {
        if (!counted[k]) continue;
        for (const auto& e : std::get<succeeded>(groups[i].members[k]->result).effects) {
          effects.emplace_back(statements.emplace_back(unnamed(e.sql)),
                               std::vector<pg::param>(e.params.begin(), e.params.end()));
        }
      }
    }
    effects.push_back(pg::with(commit_));
    co_await turn->run(std::move(effects));
  } catch (const pg::query_error&) {
    trouble = std::current_exception();
  }
  if (trouble) {
    co_await turn->run(pg::together(pg::with(rollback_)));
    std::rethrow_exception(trouble);
  }
  server_ = answers[1].get_int(0, 0);
  for (std::size_t i = 0; i < groups.size(); ++i) account(groups[i], answers[first + i]);
}

/// The answer to a COMMIT was lost, or may have been: asks the jobs themselves. What is still
/// processing under our lease is to be written again.
asio::awaitable<finisher::batch> finisher::still_open(batch verdicts, bool& doubtful) {
  batch open;
  doubtful = false;
  for (const auto& g : grouped(verdicts)) {
    std::vector<std::string_view> ids;
    std::vector<std::int64_t> leases;
    for (const auto* v : g.members) {
      ids.push_back(v->job->id);
      leases.push_back(v->job->lease);
    }
    std::vector<pg::result> answers;
    std::map<claim_key, std::string_view> found;
    bool read = true;
    try {
      answers = co_await session_.run(
          pg::together(pg::with(settings_),
                       pg::with(g.lane->sql.reread, pg::uuid_array(ids), pg::int_array(leases))));
      server_ = answers.front().get_int(0, 0);
      found = statuses(answers.back());
    } catch (const pg::error& e) {
      last_error_ = {e.sqlstate(), "", e.what()};
      doubtful = true;
      read = false;
    }
    for (const auto* v : g.members) {
      const auto status = found.find(claim_of(*v));
      if (!read || (status != found.end() && status->second == job_status::processing)) {
        open.push_back(*v);
        continue;
      }
      account_one(*v, status == found.end() ? std::nullopt : std::optional(status->second));
      leases_.settled({v->job->lease}, server_);
    }
  }
  co_return open;
}

}  // namespace rowrunner
