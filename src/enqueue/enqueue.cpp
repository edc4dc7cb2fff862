#include <algorithm>
#include <rowrunner/enqueue.hpp>

#include "common/pg/exec.hpp"
#include "common/schema/kind_info.hpp"
#include "common/text.hpp"
#include "enqueue/insertion.hpp"
#include "enqueue/kinds.hpp"
#include "queries/engine.hpp"
#include "queries/session.hpp"

namespace rowrunner {
namespace {

// Large enough that round trips do not count, small enough that a statement's memory does not.
constexpr std::size_t rows_per_chunk = 5000;
// Jobs are usually new, and to insert them without ON CONFLICT is a third cheaper; if a key exists,
// its chunk and those after it are inserted with ON CONFLICT DO NOTHING. For fewer rows than this
// that saves less than the round trips of a savepoint cost.
constexpr std::size_t enough_to_try = 200;
// In one call. PostgreSQL caches 64 subtransactions of each transaction; with more, all sessions
// check visibility more slowly.
constexpr std::size_t most_savepoints = 16;
constexpr const char* savepoint_name = "rowrunner_enqueue_many";

pqxx::result send(pqxx::dbtransaction& tx, const insertion& statement) {
  return pg::exec_each(tx, statement.sql, statement.params);
}

/// False, and nothing is inserted, if a key exists. The savepoint is written out: after an error
/// inside of a pqxx::subtransaction (6.4.5) the transaction stays aborted.
bool insert_all_new(pqxx::dbtransaction& tx, const insertion& statement) {
  const auto taken = [](const std::string& sqlstate) {
    return sqlstate == "23505" || sqlstate == "23P01";
  };
  const auto run = [&](const query& what) { tx.exec(fill(what.text, {{"name", savepoint_name}})); };
  run(queries::savepoint);
  bool inserted = true;
  try {
    send(tx, statement);
  } catch (const pqxx::sql_error& e) {
    if (!taken(e.sqlstate())) throw;
    inserted = false;
    run(queries::savepoint_undo);
  }
  run(queries::savepoint_release);
  return inserted;
}

}  // namespace

job_table find_job_table(pqxx::dbtransaction& tx, std::string_view kind) {
  check_text("kind", kind);
  job_table out;
  out.kind = kind;
  for (const auto& row : pg::exec(tx, queries::job_table, out.kind)) {
    out.table = row[0].as<std::string>();
    out.columns.push_back({row[1].as<std::string>(), row[2].as<std::string>(), row[3].as<bool>()});
    out.unique_key = row[4].as<std::string>("");
  }
  if (out.table.empty()) throw unknown_kind(tx, kind);
  return out;
}

std::optional<std::string> enqueue(pqxx::dbtransaction& tx, const job_table& target,
                                   const new_job& job) {
  const pqxx::result made = send(tx, plan_one(target, job));
  if (made.empty()) return std::nullopt;
  return made[0][0].as<std::string>();
}

std::optional<std::string> enqueue(pqxx::dbtransaction& tx, std::string_view kind,
                                   const new_job& job) {
  return enqueue(tx, find_job_table(tx, kind), job);
}

enqueue_result enqueue_many(pqxx::dbtransaction& tx, const job_table& target,
                            const std::vector<std::string>& columns,
                            const std::vector<std::vector<text_value>>& rows) {
  // All rows are looked at before the first is sent, so that bad input leaves nothing behind.
  check_columns(target, columns);
  check_rows(columns, rows);
  enqueue_result out;
  std::size_t trials = most_savepoints;
  for (std::size_t from = 0; from < rows.size(); from += rows_per_chunk) {
    const auto chunk = std::span(rows).subspan(from, std::min(rows_per_chunk, rows.size() - from));
    if (trials > 0 && chunk.size() >= enough_to_try) {
      --trials;
      if (insert_all_new(tx, plan_chunk(target, columns, chunk, existing::refused))) {
        out.inserted += std::ssize(chunk);
        continue;
      }
      trials = 0;
    }
    const auto made = send(tx, plan_chunk(target, columns, chunk, existing::skipped));
    out.inserted += static_cast<std::int64_t>(made.affected_rows());
  }
  out.skipped = static_cast<std::int64_t>(rows.size()) - out.inserted;
  return out;
}

enqueue_result enqueue_many(pqxx::dbtransaction& tx, std::string_view kind,
                            const std::vector<std::string>& columns,
                            const std::vector<std::vector<text_value>>& rows) {
  return enqueue_many(tx, find_job_table(tx, kind), columns, rows);
}

bool requeue(pqxx::dbtransaction& tx, std::string_view kind, const std::string& id) {
  if (!is_uuid(id)) throw bad_input("id '" + printable(id, 100) + "' is not a uuid");
  const job_table target = find_job_table(tx, kind);
  return pg::exec(tx, queries::requeue, target.kind, id)[0][0].as<bool>();
}

int requeue_failed(pqxx::dbtransaction& tx, std::string_view kind, int limit) {
  if (limit < 0) throw bad_input("limit " + std::to_string(limit) + " is negative");
  const job_table target = find_job_table(tx, kind);
  std::optional<std::string> as_of;
  int requeued = 0;
  for (bool more = true; more;) {
    const auto row = pg::exec(tx, queries::requeue_failed, target.kind, limit - requeued, as_of)[0];
    requeued += row[0].as<int>();
    more = row[1].as<bool>();
    as_of = row[2].as<std::string>();
  }
  return requeued;
}

}  // namespace rowrunner
