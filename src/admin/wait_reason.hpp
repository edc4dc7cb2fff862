#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "admin/transaction.hpp"

namespace rowrunner::admin {

/// Another session of the database, as far as the asking role may see it.
struct lock_holder {
  std::int64_t pid = 0;
  std::string application;
  std::string since;
};

/// From three columns: pid, application, since.
std::optional<lock_holder> read_lock_holder(const pg::result& rows, int row, int first_column);

/// "session 4242 (psql, since 2030-01-01T00:00:00Z)"; "another session" for nothing.
std::string text_of(const std::optional<lock_holder>& holder);

/// What decides whether a job can be claimed; see db/queries/admin/wait_facts.sql.
struct wait_facts {
  static constexpr std::int64_t most_before = 10'000;

  std::string kind;
  std::string status;
  bool paused = false;
  std::int64_t workers = 0;
  bool due = true;
  /// Empty: infinity.
  std::string run_at;
  /// In a queue of more than most_before entries one is assumed unless it is delayed.
  bool has_entry = false;
  /// Queue entries before its own, counted up to most_before.
  std::int64_t before = 0;
  bool has_delayed_entry = false;
  bool has_triggers = true;
  /// The worker whose lease on it has expired; empty if none has.
  std::string lost_worker;
  bool row_locked = false;
  std::optional<lock_holder> row_lock;
  std::optional<lock_holder> table_lock;
  /// Why a claim of it failed, as a worker noted it; empty if none did.
  std::string claim_error;
  /// Why a live worker can claim nothing of the kind; empty if none reports such a problem.
  std::string kind_problem;
  /// "3 of 10 jobs" if it waits for others.
  std::string waits_for;
  /// What has blocked VACUUM for too long, which slows claims; empty if nothing has.
  std::string vacuum_blocker;
};

/// The facts of a job of that kind, except for vacuum_blocker; only `kind` if there is none.
asio::awaitable<wait_facts> read_wait_facts(transaction& tx, const kind_info& kind, std::string id);

/// One thing that keeps a job from running.
struct wait_cause {
  /// paused, delayed, held, held_by_hand, no_worker, no_entry, no_triggers, table_locked,
  /// row_locked, claim_error, claims_fail, position, vacuum_blocked or lost_worker.
  std::string code;
  std::string text;
  /// What `text` says in numbers and names, for other languages: before and capped of a position,
  /// left and total of held, pid, application and since of a lock, error, worker, session. An empty
  /// object where the text says all.
  nlohmann::ordered_json facts = nlohmann::ordered_json::object();
};

/// Everything that keeps the job from being claimed, each with what to do about it, in the order in
/// which one would clear it; its position in the queue if nothing does. None if it does not wait.
std::vector<wait_cause> wait_causes(const wait_facts& facts);

/// Why the job does not run, in one line: everything that keeps it from being claimed, each with
/// what to do about it; its position in the queue if nothing does. Empty if it does not wait.
std::string wait_reason(const wait_facts& facts);

}  // namespace rowrunner::admin
