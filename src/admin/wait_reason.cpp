#include "admin/wait_reason.hpp"

#include <sstream>

#include "queries/admin.hpp"

namespace rowrunner::admin {
namespace {

std::string no_worker(const wait_facts& facts) {
  return "no worker has reported for kind " + facts.kind +
         " in the last 30 seconds: start one that serves it";
}

wait_cause no_entry(const wait_facts& facts) {
  std::string out = "it has no queue entry";
  if (!facts.has_triggers) {
    out += ", and triggers of its table are missing or disabled: attach the table again";
  }
  return {facts.has_triggers ? "no_entry" : "no_triggers",
          out + ": run rowrunner kinds repair " + facts.kind};
}

/// "3 of 10 jobs" in numbers.
nlohmann::ordered_json parents(const std::string& waits_for) {
  std::istringstream text(waits_for);
  std::int64_t left = 0;
  std::int64_t total = 0;
  std::string of;
  text >> left >> of >> total;
  return {{"left", left}, {"total", total}};
}

nlohmann::ordered_json session_facts(const std::optional<lock_holder>& holder) {
  if (!holder) return nlohmann::ordered_json::object();
  return {{"pid", holder->pid}, {"application", holder->application}, {"since", holder->since}};
}

wait_cause delay(const wait_facts& facts) {
  if (!facts.waits_for.empty()) {
    return {"held", "it waits for " + facts.waits_for, parents(facts.waits_for)};
  }
  if (facts.run_at.empty()) {
    return {"held_by_hand", "its run_at is infinity: it waits until that is changed"};
  }
  return {"delayed", "it is delayed until " + facts.run_at + " (run_at)"};
}

/// What keeps a claim from taking it, in the order in which one would clear it.
std::vector<wait_cause> obstacles(const wait_facts& facts) {
  std::vector<wait_cause> out;
  if (facts.paused) {
    out.push_back(
        {"paused", "kind " + facts.kind + " is paused: run rowrunner kinds resume " + facts.kind});
  }
  if (!facts.due) out.push_back(delay(facts));
  if (facts.workers == 0) out.push_back({"no_worker", no_worker(facts)});
  const bool held = !facts.due && facts.run_at.empty();  // such a job has no entry
  if (!facts.has_entry && !facts.has_delayed_entry && !held) out.push_back(no_entry(facts));
  if (facts.table_lock) {
    out.push_back({"table_locked", "its table is locked by " + text_of(facts.table_lock),
                   session_facts(facts.table_lock)});
  }
  if (facts.row_locked) {
    out.push_back({"row_locked", "its row is locked by " + text_of(facts.row_lock),
                   session_facts(facts.row_lock)});
  }
  if (!facts.claim_error.empty()) {
    out.push_back({"claim_error",
                   "it could not be claimed: " + facts.claim_error,
                   {{"error", facts.claim_error}}});
  }
  if (!facts.kind_problem.empty()) {
    out.push_back({"claims_fail",
                   "claims of kind " + facts.kind + " fail: " + facts.kind_problem,
                   {{"error", facts.kind_problem}}});
  }
  return out;
}

std::vector<wait_cause> position(const wait_facts& facts) {
  if (!facts.has_entry) {
    return {{"position", "it is about to enter the queue: a worker moves it at one of its polls"}};
  }
  const bool many = facts.before >= wait_facts::most_before;
  std::vector<wait_cause> out{
      {"position",
       many ? "more than " + std::to_string(wait_facts::most_before) + " jobs are before it"
            : "it is about number " + std::to_string(facts.before + 1) + " in the queue",
       {{"before", facts.before}, {"capped", many}}}};
  if (!facts.vacuum_blocker.empty()) {
    out.push_back({"vacuum_blocked",
                   "claims are slow while VACUUM is blocked by " + facts.vacuum_blocker,
                   {{"session", facts.vacuum_blocker}}});
  }
  return out;
}

/// Nothing if the role may not lock rows of the table.
asio::awaitable<std::optional<bool>> row_is_free(transaction& tx, const kind_info& kind,
                                                 std::string id) {
  std::optional<bool> free;
  co_await tx.set_savepoint();
  try {
    free = (co_await tx.run(kind, queries::row_is_free, id)).rows() > 0;
  } catch (const pg::query_error& refused) {
    if (refused.sqlstate() != "42501") throw;
  }
  co_await tx.undo_to_savepoint();  // gives the lock back
  co_return free;
}

}  // namespace

std::optional<lock_holder> read_lock_holder(const pg::result& rows, int row, int first_column) {
  if (rows.is_null(row, first_column)) return std::nullopt;
  return lock_holder{rows.get_int(row, first_column), std::string(rows.get(row, first_column + 1)),
                     std::string(rows.get(row, first_column + 2))};
}

std::string text_of(const std::optional<lock_holder>& holder) {
  if (!holder) return "another session";
  std::string details = holder->application;
  if (!holder->since.empty()) details += (details.empty() ? "" : ", ") + ("since " + holder->since);
  return "session " + std::to_string(holder->pid) + (details.empty() ? "" : " (" + details + ")");
}

asio::awaitable<wait_facts> read_wait_facts(transaction& tx, const kind_info& kind,
                                            std::string id) {
  const auto rows = co_await tx.run(kind, queries::wait_facts, kind.id, id);
  wait_facts facts;
  facts.kind = kind.kind;
  if (rows.rows() == 0) co_return facts;
  facts.status = rows.get(0, 0);
  facts.paused = rows.get_bool(0, 1);
  facts.workers = rows.get_int(0, 2);
  facts.due = rows.get_bool(0, 3);
  facts.run_at = rows.get(0, 4);
  facts.has_entry = rows.get_bool(0, 5);
  facts.before = rows.get_int(0, 6);
  facts.has_delayed_entry = rows.get_bool(0, 7);
  facts.has_triggers = rows.get_bool(0, 8);
  facts.lost_worker = rows.get(0, 9);
  facts.row_lock = read_lock_holder(rows, 0, 10);
  facts.table_lock = read_lock_holder(rows, 0, 13);
  facts.claim_error = rows.get(0, 16);
  facts.waits_for = rows.get(0, 17);
  facts.kind_problem = rows.get(0, 18);
  const bool may_have_entry = rows.get_bool(0, 19);
  if (may_have_entry && facts.due && !facts.has_delayed_entry) {
    facts.has_entry = true;
    facts.before = wait_facts::most_before;
  }
  // A probe would wait for a lock on the whole table.
  std::optional<bool> free;
  if (facts.status == "queued" && !facts.table_lock) free = co_await row_is_free(tx, kind, id);
  facts.row_locked = free ? !*free : facts.row_lock.has_value();
  co_return facts;
}

std::vector<wait_cause> wait_causes(const wait_facts& facts) {
  if (facts.status == "processing" && !facts.lost_worker.empty()) {
    return {
        {"lost_worker",
         "worker " + facts.lost_worker + " was lost: " +
             (facts.workers == 0 ? no_worker(facts) : "a worker of the kind takes the job back"),
         {{"worker", facts.lost_worker}}}};
  }
  if (facts.status != "queued") return {};
  auto found = obstacles(facts);
  return found.empty() ? position(facts) : found;
}

std::string wait_reason(const wait_facts& facts) {
  std::string out;
  for (const auto& cause : wait_causes(facts)) out += (out.empty() ? "" : "; ") + cause.text;
  return out;
}

}  // namespace rowrunner::admin
