#include "apps/read_wait_facts.hpp"

#include "common/pg/exec.hpp"
#include "queries/admin.hpp"

namespace rowrunner {
namespace {

/// From three columns: pid, application, since.
std::optional<lock_holder> read_holder(const pqxx::row& row, int first) {
  if (row[first].is_null()) return std::nullopt;
  return lock_holder{row[first].as<std::int64_t>(), row[first + 1].as<std::string>(""),
                     row[first + 2].as<std::string>("")};
}

/// Nothing if the role may not lock rows of the table.
std::optional<bool> row_is_free(pqxx::dbtransaction& tx, const kind_info& kind,
                                const std::string& id) {
  try {
    pqxx::subtransaction probe(tx, "row_is_free");
    const bool free = !pg::exec(probe, kind.bind(queries::row_is_free), id).empty();
    probe.abort();  // gives the lock back
    return free;
  } catch (const pqxx::insufficient_privilege&) {
    return std::nullopt;
  }
}

}  // namespace

wait_facts read_wait_facts(pqxx::dbtransaction& tx, const kind_info& kind, const std::string& id) {
  const auto answer = pg::exec(tx, kind.bind(queries::wait_facts), kind.id, id);
  wait_facts facts;
  facts.kind = kind.kind;
  if (answer.empty()) return facts;
  const auto& row = answer[0];
  facts.status = row[0].as<std::string>();
  facts.paused = row[1].as<bool>();
  facts.workers = row[2].as<std::int64_t>();
  facts.due = row[3].as<bool>();
  facts.run_at = row[4].as<std::string>("");
  facts.has_entry = row[5].as<bool>();
  facts.before = row[6].as<std::int64_t>();
  facts.has_delayed_entry = row[7].as<bool>();
  facts.has_triggers = row[8].as<bool>();
  facts.lost_worker = row[9].as<std::string>("");
  facts.row_lock = read_holder(row, 10);
  facts.table_lock = read_holder(row, 13);
  facts.claim_error = row[16].as<std::string>("");
  // A probe would wait for a lock on the whole table.
  const auto free =
      facts.status == "queued" && !facts.table_lock ? row_is_free(tx, kind, id) : std::nullopt;
  facts.row_locked = free ? !*free : facts.row_lock.has_value();
  return facts;
}

std::string locked_table(pqxx::dbtransaction& tx) {
  const auto found = tx.exec(std::string(queries::locked_table.text));
  if (found.empty()) return "a table was locked by another session for too long: try again";
  return "table " + found[0][0].as<std::string>() + " is locked by " +
         text_of(read_holder(found[0], 1)) + ": none of its jobs can be read or claimed";
}

}  // namespace rowrunner
