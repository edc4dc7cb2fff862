#include "worker/finish.hpp"

#include <algorithm>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <deque>
#include <map>

#include "common/job_status.hpp"
#include "common/pg/array.hpp"
#include "common/pg/backoff.hpp"
#include "common/pg/binary_array.hpp"
#include "common/pg/error.hpp"
#include "common/queries.hpp"
#include "worker/finish_group.hpp"
#include "worker/lane.hpp"

namespace rowrunner {

namespace asio = boost::asio;

namespace {

constexpr std::size_t largest_batch = 2000;
/// A transaction costs the server about as much as the ends of so many jobs.
constexpr std::size_t small_batch = 100;
constexpr std::chrono::microseconds longest_gathering{2'000};

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
      end_leases_(queries::end_leases.statement()),
      begin_(queries::begin.statement()),
      commit_(queries::commit.statement()),
      rollback_(queries::rollback.statement()) {}

void finisher::add(verdict v) {
  if (!v.dropped) {
    waiting_.push_back(std::move(v));
    arrived_.set();
    return;
  }
  v.job->home->count(&worker_counts::refused);
  if (v.job->disowned) {
    leases_.settled({v.job->lease}, lease_book::unknown_server);
  } else {
    leases_.forget(v.job->lease);
  }
}

void finisher::close() {
  closed_ = true;
  arrived_.set();
}

asio::awaitable<void> finisher::run() {
  while (!closed_ || !waiting_.empty()) {
    if (waiting_.empty()) {
      co_await arrived_.wait_for(std::chrono::hours{1});
      continue;
    }
    co_await gather();
    batch plain_ones, with_effects;
    const std::size_t n = std::min(waiting_.size(), largest_batch);
    for (std::size_t i = 0; i < n; ++i) {
      (has_effects(waiting_[i]) ? with_effects : plain_ones).push_back(std::move(waiting_[i]));
    }
    waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(n));
    in_flight_ = n;
    if (!plain_ones.empty()) co_await write_all(std::move(plain_ones));
    if (!with_effects.empty()) co_await write_all(std::move(with_effects));
    in_flight_ = 0;
    on_.wrote();
  }
  ended_ = true;
  on_.wrote();
}

asio::awaitable<void> finisher::gather() {
  const auto until = std::chrono::steady_clock::now() + longest_gathering;
  while (waiting_.size() < small_batch && !closed_ && on_.more_to_come() &&
         std::chrono::steady_clock::now() < until) {
    co_await pause(longest_gathering / 8);
  }
}

asio::awaitable<void> finisher::write_all(batch verdicts) {
  pg::backoff backoff;
  bool doubtful = false;
  while (!verdicts.empty()) {
    if (doubtful) {
      verdicts = co_await still_open(std::move(verdicts), doubtful);
      if (!doubtful) continue;
    } else {
      const auto how = co_await try_write(verdicts);
      if (how == attempt::written) co_return;
      if (how == attempt::rejected) {
        co_await write_rejected(std::move(verdicts));
        co_return;
      }
      if (how == attempt::contended) {
        // Leases that are being ended get no heartbeat, and what was tried may have waited for
        // somebody's lock for most of their time.
        co_await on_.extend_leases();
        co_await write_each(std::move(verdicts));
        co_return;
      }
    }
    log_.warn("jobs could not be ended yet", {{"jobs", verdicts.size()}, {"reason", last_error_}});
    co_await pause(backoff.next(rng_));
    doubtful = true;
  }
}

asio::awaitable<void> finisher::pause(std::chrono::steady_clock::duration time) {
  asio::steady_timer timer(io_, time);
  co_await timer.async_wait(asio::use_awaitable);
}

asio::awaitable<finisher::attempt> finisher::try_write(const batch& verdicts) {
  const auto leases = leases_of(verdicts);
  const auto ended = leases_.ending(leases, server_);
  try {
    if (has_effects(verdicts.front())) {
      co_await write_with_effects(verdicts, ended);
    } else {
      co_await write_plain(verdicts, ended);
    }
    leases_.settled(leases, server_);
    co_return attempt::written;
  } catch (const pg::query_error& e) {
    leases_.not_ended(ended);
    last_error_ = e.what();
    switch (pg::classify(e.sqlstate())) {
      case pg::error_class::permanent:
        co_return attempt::rejected;
      case pg::error_class::retry_transaction:
        co_return attempt::contended;
      default:
        co_return attempt::unreachable;
    }
  } catch (const pg::error& e) {
    leases_.not_ended(ended);
    last_error_ = e.what();
    co_return attempt::unreachable;
  }
}

std::vector<pg::call> finisher::opening_calls(const std::vector<std::int64_t>& ended) {
  auto calls = pg::together(pg::with(settings_));
  if (!ended.empty())
    calls.push_back(pg::with(end_leases_, pg::array(ended), std::to_string(server_)));
  return calls;
}

asio::awaitable<void> finisher::write_plain(const batch& verdicts,
                                            const std::vector<std::int64_t>& ended) {
  auto calls = opening_calls(ended);
  const auto first = calls.size();
  const auto groups = grouped(verdicts);
  for (const auto& g : groups) calls.push_back(call_for(g));
  const auto answers = co_await session_.run(std::move(calls));
  server_ = answers.front().get_int(0, 0);
  for (std::size_t i = 0; i < groups.size(); ++i) account(groups[i], answers[first + i]);
}

/// Two round trips: which jobs are still ours, then the effects of those and the commit.
asio::awaitable<void> finisher::write_with_effects(const batch& verdicts,
                                                   const std::vector<std::int64_t>& ended) {
  auto turn = co_await session_.acquire();
  auto calls = opening_calls(ended);
  calls.insert(calls.begin(), pg::with(begin_));
  const auto first = calls.size();
  const auto groups = grouped(verdicts);
  for (const auto& g : groups) calls.push_back(call_for(g));
  std::vector<pg::result> answers;
  std::exception_ptr trouble;
  try {
    answers = co_await turn->run(std::move(calls));
    std::deque<pg::statement> statements;
    std::vector<pg::call> effects;
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
                       pg::with(g.home->sql.reread, pg::uuid_array(ids), pg::int_array(leases))));
      server_ = answers.front().get_int(0, 0);
      found = statuses(answers.back());
    } catch (const pg::error& e) {
      last_error_ = e.what();
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

/// One of them is in somebody's way; the others must not wait for it.
asio::awaitable<void> finisher::write_each(batch verdicts) {
  const bool alone = verdicts.size() == 1;
  for (auto& v : verdicts) {
    if (alone) {
      co_await write_later(std::move(v));
    } else {
      batch one;
      one.push_back(std::move(v));
      co_await write_all(std::move(one));
    }
  }
}

/// A job whose row, or a row that its effects or triggers change, somebody else holds: it goes to
/// the back of what is to be written. If that is of no use, the attempt has failed.
asio::awaitable<void> finisher::write_later(verdict v) {
  if (++v.tries % most_tries == 0 && !std::holds_alternative<failed>(v.result)) {
    v.result = failed{"the outcome could not be written: " + last_error_, {}, false};
  }
  co_await pause(std::chrono::milliseconds{waiting_.empty() ? 1'000 : 10});
  waiting_.push_back(std::move(v));
}

/// The database refuses what one of the verdicts says. Each is tried alone; the one that it is
/// loses its attempt, and if not even that can be written, its lease is left to expire.
asio::awaitable<void> finisher::write_rejected(batch verdicts) {
  const std::string reason = last_error_;
  if (verdicts.size() > 1) {
    co_await write_each(std::move(verdicts));
    co_return;
  }
  auto& v = verdicts.front();
  log_.error("the outcome of a job was refused by the database",
             {{"kind", v.job->home->options.kind}, {"job", v.job->id}, {"reason", reason}});
  const auto* was = std::get_if<failed>(&v.result);
  if (was != nullptr && was->final) {
    leases_.forget(v.job->lease);
    co_return;
  }
  v.result = failed{"the outcome was refused by the database: " + reason, {}, was != nullptr};
  co_await write_all(std::move(verdicts));
}

}  // namespace rowrunner
