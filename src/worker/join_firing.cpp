#include "worker/join_firing.hpp"

#include "common/pg/error.hpp"
#include "queries/engine.hpp"
#include "queries/session.hpp"

namespace rowrunner {

namespace asio = boost::asio;

namespace {

using clock = join_plan::clock;

/// Stands for the parents that ended with an old snapshot, whose edges are still to be found.
constexpr join_plan::kind_id missed_ends = 0;
/// Claims of all kinds wait meanwhile.
constexpr const char* time_for_a_kind = "1s";

}  // namespace

join_firing::join_firing(pg::session& session, logger& log)
    : session_(session),
      log_(log),
      kinds_(queries::join_kinds.statement()),
      fire_(queries::fire_joins.statement()),
      missed_(queries::note_missed_ends.statement()),
      settings_(queries::fire_settings.statement()),
      statement_timeout_(queries::statement_timeout.statement()),
      constraints_(queries::constraints_immediate.statement()),
      begin_(queries::begin_read_committed.statement()),
      commit_(queries::commit.statement()),
      rollback_(queries::rollback.statement()) {}

asio::awaitable<bool> join_firing::fire(join_plan& plan, bool idle) {
  const auto names = co_await ask();
  if (!names) {
    plan.no_answer(clock::now());
    co_return false;
  }
  std::vector<join_plan::kind_id> noted;
  for (const auto& [kind, name] : *names) noted.push_back(kind);
  bool some = false;
  for (const auto kind : plan.begin(noted, idle, clock::now())) {
    const auto begun = clock::now();
    const auto fired = co_await fire_kind(kind);
    some = some || fired.jobs > 0;
    if (!plan.tried(kind, fired, begun, clock::now())) continue;
    log_.warn("jobs that waited for others cannot run yet",
              {{"kind", names->at(kind)}, {"reason", fired.trouble}});
  }
  co_return some;
}

/// Of which kinds jobs may be ready; nothing if the server refuses to say.
asio::awaitable<std::optional<join_firing::kind_names>> join_firing::ask() {
  try {
    kind_names found;
    const auto answer = co_await session_.run_one(pg::with(kinds_));
    for (int row = 0; row < answer.rows(); ++row) {
      found.emplace(answer.get_int(row, 0), answer.get(row, 1));
    }
    co_return found;
  } catch (const pg::query_error& e) {
    if (pg::classify(e.sqlstate()) == pg::error_class::connection) throw;
    log_.warn("jobs that waited for others cannot run yet", {{"reason", e.what()}});
  }
  co_return std::nullopt;
}

/// Under READ COMMITTED, whatever the default of the database is: with an older snapshot an edge
/// that was added meanwhile would not be seen, so the functions do nothing then. Deferred triggers
/// run before the COMMIT, to which no time limit applies.
asio::awaitable<fired_joins> join_firing::fire_kind(join_plan::kind_id kind) {
  auto turn = co_await session_.acquire();
  auto calls = pg::together(pg::with(begin_), pg::with(settings_),
                            pg::with(statement_timeout_, time_for_a_kind));
  const auto fires = calls.size();
  if (kind == missed_ends) {
    calls.push_back(pg::with(missed_));
  } else {
    calls.push_back(pg::with(fire_, std::to_string(kind)));
  }
  calls.push_back(pg::with(constraints_));
  calls.push_back(pg::with(commit_));
  fired_joins out;
  std::exception_ptr lost;
  try {
    const auto answers = co_await turn->run(std::move(calls));
    const auto& answer = answers[fires];
    out.jobs = answer.get_int(0, 0);
    if (!answer.is_null(0, 1)) out.trouble = answer.get(0, 1);
    co_return out;
  } catch (const pg::query_error& e) {
    if (pg::classify(e.sqlstate()) == pg::error_class::connection) lost = std::current_exception();
    out.trouble = e.what();
  }
  co_await turn->run(pg::together(pg::with(rollback_)));
  if (lost) std::rethrow_exception(lost);
  co_return out;
}

}  // namespace rowrunner
