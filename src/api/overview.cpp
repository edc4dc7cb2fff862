#include "api/overview.hpp"

#include <map>

#include "api/ask.hpp"
#include "common/pg/error.hpp"
#include "queries/api.hpp"

namespace rowrunner::api {
namespace {

using admin::kind_stats;
using nlohmann::ordered_json;

constexpr std::chrono::milliseconds fresh_for{1000};

ordered_json problem_json(const char* code, const ordered_json& kind, const std::string& message) {
  return {{"code", code}, {"kind", kind}, {"message", message}};
}

void add_problems(const kind_stats& of, ordered_json& out) {
  if (of.locked_by) {
    out.push_back(problem_json("table_locked", of.kind,
                               "the table of " + of.kind + " is locked by " + *of.locked_by +
                                   ": none of its jobs can be read or claimed"));
  }
  if (of.waiting > 0 && of.workers.live == 0) {
    out.push_back(problem_json("no_live_worker", of.kind,
                               "jobs of " + of.kind +
                                   " wait and no worker has reported in the last 30 seconds: start "
                                   "one that serves it"));
  }
  if (!of.claims_fail_because.empty()) {
    out.push_back(problem_json("claims_fail", of.kind,
                               "claims of " + of.kind + " fail: " + of.claims_fail_because));
  }
  const auto oldest = of.oldest_waiting_seconds.value_or(0);
  if (!of.paused && oldest > static_cast<double>(too_old.count())) {
    out.push_back(problem_json("oldest_too_old", of.kind,
                               "a job of " + of.kind + " has been waiting for " +
                                   std::to_string(static_cast<std::int64_t>(oldest)) + " seconds"));
  }
}

ordered_json to_json(const kind_stats& of, const minute_counts& minutes, const std::string& until) {
  constexpr auto limit = kind_stats::count_limit;
  ordered_json last_hour;
  for (const auto& event : admin::event_names) last_hour[event.name] = of.last_hour.*event.count;
  ordered_json out{{"kind", of.kind},
                   {"paused", of.paused},
                   {"workers", of.workers.live},
                   {"waiting", count_json(of.waiting, limit)},
                   {"running", count_json(of.running, of.running)},
                   {"delayed", count_json(of.delayed, limit)},
                   {"held", count_json(of.held, limit)},
                   {"failed", count_json(of.failed, limit)},
                   {"oldest_waiting_seconds", nullptr},
                   {"last_hour", last_hour}};
  if (of.oldest_waiting_seconds) out["oldest_waiting_seconds"] = *of.oldest_waiting_seconds;
  out["per_minute"] = {
      {"until", until}, {"succeeded", minutes.succeeded}, {"failed", minutes.failed}};
  return out;
}

using minutes_by_kind = std::map<std::string, minute_counts, std::less<>>;

minutes_by_kind read_minutes(const pg::result& rows) {
  minutes_by_kind out;
  for (int row = 0; row < rows.rows(); ++row) {
    auto& counts = out[std::string(rows.get(row, 0))];
    const auto slot = static_cast<std::size_t>(rows.get_int(row, 1));
    if (slot >= counts.succeeded.size()) continue;
    counts.succeeded[slot] = rows.get_int(row, 2);
    counts.failed[slot] = rows.get_int(row, 3);
  }
  return out;
}

asio::awaitable<overview> read_overview(services& with) {
  const auto mine = co_await borrow_session(with);
  pg::session& session = *mine;
  auto stats = co_await admin::read_stats(session);
  const auto time_statement = queries::server_time.statement();
  const auto minutes_statement = queries::jobs_a_minute.statement();
  const auto rows =
      co_await session.run(pg::together(pg::with(time_statement), pg::with(minutes_statement)));
  auto minutes = read_minutes(rows[1]);
  const std::string until(rows[0].get(0, 1));
  ordered_json kinds = ordered_json::array();
  for (const auto& each : stats.kinds) kinds.push_back(to_json(each, minutes[each.kind], until));
  overview out;
  out.json = {{"as_of", rows[0].get(0, 0)}, {"stale", false}, {"kinds", kinds}};
  out.json["problems"] = problems_of(stats, with.limits.vacuum_alarm);
  out.stats = std::move(stats);
  co_return out;
}

overview as_stale(overview last) {
  if (last.stale) return last;
  last.json["stale"] = last.stale = true;
  auto& problems = last.json["problems"];
  problems.insert(problems.begin(),
                  problem_json("database_slow", nullptr,
                               "the database does not answer in time: this is the state of " +
                                   last.json.at("as_of").get<std::string>()));
  return last;
}

}  // namespace

ordered_json count_json(std::int64_t n, std::int64_t limit) {
  return {{"n", std::min(n, limit)}, {"capped", n > limit}};
}

ordered_json problems_of(const admin::database_stats& stats,
                         std::chrono::milliseconds vacuum_alarm) {
  ordered_json out = ordered_json::array();
  for (const auto& each : stats.kinds) add_problems(each, out);
  for (const auto& blocker : stats.vacuum_blockers) {
    if (!holds_too_long(blocker, vacuum_alarm)) continue;
    out.push_back(
        problem_json("vacuum_blocked", nullptr,
                     "VACUUM is blocked by " + text_of(blocker) + ": " + advice_for(blocker)));
  }
  return out;
}

asio::awaitable<void> overview_board::refresh(services& with) {
  reading_ = true;
  std::exception_ptr failure;
  try {
    auto read = co_await read_overview(with);
    newest_ = std::make_shared<const overview>(std::move(read));
  } catch (const std::exception& error) {
    failure = std::current_exception();
    with.log->warn("the overview could not be read", {{"error", error.what()}});
  }
  reading_ = false;
  tried_ = clock::now();
  if (!failure) co_return;
  if (!newest_) std::rethrow_exception(failure);
  newest_ = std::make_shared<const overview>(as_stale(*newest_));
}

asio::awaitable<std::shared_ptr<const overview>> overview_board::get(services& with) {
  const bool old = clock::now() - tried_ > fresh_for;
  // Before the first reading every caller reads: there is nothing else to answer.
  if (!newest_ || (old && !reading_)) co_await refresh(with);
  co_return newest_;
}

}  // namespace rowrunner::api
