#include "workloads/mirror/status_source.hpp"

#include <set>

#include "common/pg/array.hpp"
#include "common/uuid.hpp"
#include "queries/api.hpp"
#include "queries/mirror.hpp"

namespace rowrunner::mirror {
namespace {

/// With the version of its snapshot behind its own columns. It has no name, as its text changes
/// when a table is attached again.
pg::statement versioned(const mirrored_kind& of, const query& rows) {
  return {"", fill(queries::mirror_versioned.text, {{"rows", of.fill_in(rows)}})};
}

version version_in(const pg::result& rows) {
  version out;
  const int column = rows.columns() - 3;
  out.system = rows.get(0, column);
  out.timeline = rows.get_int(0, column + 1);
  out.ended = rows.get_int(0, column + 2);
  return out;
}

std::vector<std::string> each_once(const pg::result& rows) {
  std::vector<std::string> out;
  if (rows.is_null(0, 0)) return out;
  std::set<std::string> met;
  for (const auto& item : nlohmann::json::parse(rows.get(0, 0))) {
    if (item.is_string() && met.insert(item).second) out.push_back(item);
  }
  return out;
}

}  // namespace

status_source::status_source(const asio::any_io_executor& executor, const pg::settings& database)
    : session_(executor, database), me_(uuid_maker().next()) {}

asio::awaitable<bool> status_source::hold() {
  const auto statement = queries::mirror_hold.statement();
  const auto rows = co_await session_.run_one(pg::with(statement, me_));
  co_return rows.get_bool(0, 0);
}

asio::awaitable<void> status_source::let_go() {
  const auto statement = queries::mirror_let_go.statement();
  co_await session_.run_one(pg::with(statement, me_));
}

asio::awaitable<std::vector<mirrored_kind>> status_source::kinds() {
  // In two transactions: what is read then is committed.
  const auto keep = queries::mirror_keep_noting.statement();
  co_await session_.run_one(pg::with(keep));
  const pg::statement statement{
      "", fill(queries::mirrored_kinds.text, {{"kinds", queries::served_kinds.text}})};
  const auto rows = co_await session_.run_one(pg::with(statement));
  std::vector<mirrored_kind> out;
  for (auto& each : api::served_kinds_of(rows)) {
    mirrored_kind one;
    static_cast<api::served_kind&>(one) = std::move(each);
    one.epoch = rows.get(static_cast<int>(out.size()), rows.columns() - 1);
    out.push_back(std::move(one));
  }
  co_return out;
}

asio::awaitable<std::vector<noted_change>> status_source::changes(const mirrored_kind& of,
                                                                  int at_most) {
  const auto statement = queries::mirror_changes.statement();
  const auto rows = co_await session_.run_one(
      pg::with(statement, std::to_string(of.id), std::to_string(at_most)));
  std::vector<noted_change> out;
  for (int row = 0; row < rows.rows(); ++row) {
    noted_change one;
    one.seq = rows.get_int(row, 0);
    one.job_id = rows.get(row, 1);
    if (!rows.is_null(row, 2)) one.public_id = rows.get(row, 2);
    out.push_back(std::move(one));
  }
  co_return out;
}

asio::awaitable<void> status_source::forget(const mirrored_kind& of,
                                            const std::vector<noted_change>& done) {
  std::vector<std::int64_t> numbers;
  for (const auto& each : done) numbers.push_back(each.seq);
  const auto statement = queries::mirror_changes_done.statement();
  co_await session_.run_one(pg::with(statement, std::to_string(of.id), pg::array(numbers)));
}

asio::awaitable<std::map<std::string, std::string>> status_source::progress_times(
    const mirrored_kind& of) {
  const auto statement = queries::mirror_running.statement();
  const auto rows = co_await session_.run_one(pg::with(statement, std::to_string(of.id)));
  std::map<std::string, std::string> out;
  for (int row = 0; row < rows.rows(); ++row) out.emplace(rows.get(row, 0), rows.get(row, 1));
  co_return out;
}

asio::awaitable<seen_states> status_source::states(const mirrored_kind& of, const ids& wanted) {
  const auto statement = versioned(of, queries::watched_jobs);
  const auto rows =
      co_await session_.run_one(pg::with(statement, std::to_string(of.id), pg::array(wanted)));
  seen_states out;
  out.at = version_in(rows);
  for (int row = 0; row < rows.rows(); ++row) {
    if (!rows.is_null(row, 0)) out.states.push_back(api::read_job_state(of.kind, rows, row));
  }
  co_return out;
}

asio::awaitable<seen_queue> status_source::queue(const mirrored_kind& of, int at_most) {
  const auto statement = versioned(of, queries::mirror_queue);
  const auto rows = co_await session_.run_one(
      pg::with(statement, std::to_string(of.id), std::to_string(at_most)));
  seen_queue out;
  out.at = version_in(rows);
  out.waiting = each_once(rows);
  co_return out;
}

asio::awaitable<status_source::page> status_source::jobs_after(const mirrored_kind& of,
                                                               const std::string& id, int at_most) {
  const pg::statement statement{"", of.fill_in(queries::mirror_page)};
  const auto rows = co_await session_.run_one(pg::with(statement, id, std::to_string(at_most)));
  page out;
  for (int row = 0; row < rows.rows(); ++row) {
    if (rows.get_bool(row, 1)) out.recent.emplace_back(rows.get(row, 0));
  }
  if (rows.rows() == at_most) out.next = std::string(rows.get(rows.rows() - 1, 0));
  co_return out;
}

}  // namespace rowrunner::mirror
