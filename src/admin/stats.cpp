#include "admin/stats.hpp"

#include <map>

#include "admin/wait_reason.hpp"
#include "common/pg/error.hpp"
#include "queries/admin.hpp"
#include "queries/engine.hpp"

namespace rowrunner::admin {
namespace {

constexpr int first_event_column = 7;
/// For how long a job table is waited for: schema changes usually lock it for milliseconds.
constexpr const char* lock_wait = "1s";
constexpr const char* later_lock_wait = "100ms";

kind_stats read_row(const pg::result& rows, int row) {
  kind_stats out;
  out.kind = rows.get(row, 1);
  out.paused = rows.get_bool(row, 2);
  out.delayed = rows.get_int(row, 3);
  out.running = rows.get_int(row, 4);
  out.failed = rows.get_int(row, 5);
  out.workers.live = rows.get_int(row, 6);
  int column = first_event_column;
  for (const auto& event : event_names) out.last_hour.*event.count = rows.get_int(row, column++);
  out.held = rows.get_int(row, column++);
  out.workers.failing = rows.get_int(row, column++);
  out.claims_fail_because = rows.get(row, column++);
  out.unclaimable = rows.get_int(row, column++);
  out.unclaimable_because = rows.get(row, column++);
  return out;
}

asio::awaitable<void> read_waiting(transaction& tx, const kind_info& kind, kind_stats& stats) {
  const auto count = co_await tx.run(kind, queries::waiting, kind.id, kind_stats::check_limit,
                                     kind_stats::count_limit + 1);
  stats.waiting = count.get_int(0, 0);
  stats.waiting_is_approximate = count.get_bool(0, 1);
  const auto oldest = co_await tx.run(kind, queries::oldest_waiting, kind.id);
  if (!oldest.is_null(0, 0)) {
    stats.oldest_waiting_seconds = std::stod(std::string(oldest.get(0, 0)));
  }
}

/// In place of read_waiting while the job table cannot be read.
asio::awaitable<void> read_entries(transaction& tx, const kind_info& kind, kind_stats& stats) {
  const auto count =
      co_await tx.run(queries::waiting_entries, kind.id, kind_stats::count_limit + 1);
  stats.waiting = count.get_int(0, 0);
  stats.waiting_is_approximate = true;
  stats.oldest_waiting_seconds.reset();
  const auto lock = co_await tx.run(queries::locked_table, kind.id);
  stats.locked_by = text_of(lock.rows() == 0 ? std::nullopt : read_lock_holder(lock, 0, 1));
}

/// False if a lock keeps the job table from being read.
asio::awaitable<bool> try_to_read_waiting(transaction& tx, const kind_info& kind,
                                          kind_stats& stats) {
  try {
    co_await read_waiting(tx, kind, stats);
    co_return true;
  } catch (const pg::query_error& refused) {
    if (refused.sqlstate() != "55P03") throw;
  }
  co_return false;
}

/// A table that is locked does not hide the other kinds, and several of them are not waited for one
/// after the other.
asio::awaitable<std::vector<kind_stats>> read_kind_stats(transaction& tx) {
  auto list = co_await read_kinds(tx);
  std::map<std::int64_t, kind_info> kinds;
  for (auto& kind : list) kinds.emplace(kind.id, std::move(kind));
  const auto rows = co_await tx.run(queries::stats, kind_stats::count_limit + 1);
  co_await tx.run(queries::read_settings);
  co_await tx.run(queries::lock_timeout, lock_wait);
  co_await tx.set_savepoint();
  std::vector<kind_stats> out;
  for (int row = 0; row < rows.rows(); ++row) {
    const auto kind = kinds.find(rows.get_int(row, 0));
    if (kind == kinds.end()) continue;
    auto stats = read_row(rows, row);
    if (!co_await try_to_read_waiting(tx, kind->second, stats)) {
      co_await tx.undo_to_savepoint();
      co_await tx.run(queries::lock_timeout, later_lock_wait);
      co_await read_entries(tx, kind->second, stats);
    }
    out.push_back(std::move(stats));
  }
  co_return out;
}

}  // namespace

asio::awaitable<database_stats> read_stats(pg::session& session) {
  const auto read = [](transaction& tx) -> asio::awaitable<database_stats> {
    database_stats out;
    out.kinds = co_await read_kind_stats(tx);
    out.vacuum_blockers = read_vacuum_blockers(co_await tx.run(queries::vacuum_blockers));
    co_return out;
  };
  co_return co_await read_jobs(session, read);
}

}  // namespace rowrunner::admin
