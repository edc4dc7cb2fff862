#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <pqxx/pqxx>
#include <rowrunner/bad_input.hpp>
#include <rowrunner/outcome.hpp>
#include <string>
#include <string_view>
#include <vector>

/// Enqueueing from C++. A job is a row of your own table, so a plain INSERT of yours, in any
/// language, enqueues just as well; these functions add ids that are ordered by time, clear errors
/// and speed in bulk.
///
/// All of them work inside your transaction: a job exists when you commit, together with what else
/// the transaction wrote, or not at all.
///
/// What they throw:
/// - bad_input before anything was written: an unknown kind or column, text with a NUL or broken
///   UTF-8, a number out of range. Your transaction goes on as if you had not called.
/// - pqxx::sql_error for what the database refuses, as for any INSERT of yours: a value that is not
///   of the column's type, a CHECK, a foreign key. Your transaction is aborted then.
/// - pqxx::serialization_failure (SQLSTATE 40001) in a REPEATABLE READ or SERIALIZABLE transaction,
///   when another session committed the same unique key after your snapshot: "on conflict do
///   nothing" has no right answer there. Run your whole transaction again, as such transactions
///   must anyway.
///
/// Permissions: rowrunner_app may call all of them, and so may rowrunner_worker.
namespace rowrunner {

/// A value in PostgreSQL's text format; nothing means NULL.
using text_value = std::optional<std::string>;

struct new_job {
  /// Your own columns by name. What is left out gets the table's default.
  std::map<std::string, text_value, std::less<>> columns;
  /// A uuid; left out, a new one that is ordered by time.
  std::optional<std::string> id;
  /// Smaller runs first.
  std::optional<int> priority;
  std::optional<int> max_attempts;
  /// Not before this long from now, by the database's clock. At most one of these two.
  std::optional<std::chrono::milliseconds> delay;
  std::optional<std::chrono::system_clock::time_point> run_at;
};

/// Where the jobs of a kind go. Reading it costs a round trip, so a frequent enqueuer keeps it;
/// it is good until the table is altered.
struct job_table {
  struct column {
    std::string name;
    std::string type;
    bool is_array = false;
  };

  std::string kind;
  /// Schema and name, quoted.
  std::string table;
  /// Those that an INSERT may name.
  std::vector<column> columns;
  /// The columns, quoted, that two jobs cannot share, if that is one index beside the primary key.
  std::string unique_key;
};

/// Throws bad_input, with the kinds there are, if none has this name.
job_table find_job_table(pqxx::dbtransaction& tx, std::string_view kind);

/// Enqueues one job. Returns its id, or nothing if a row with the same unique key exists, which
/// stays as it is.
std::optional<std::string> enqueue(pqxx::dbtransaction& tx, const job_table& target,
                                   const new_job& job);
std::optional<std::string> enqueue(pqxx::dbtransaction& tx, std::string_view kind,
                                   const new_job& job);

struct enqueue_result {
  std::int64_t inserted = 0;
  /// Rows whose unique key existed, or came twice in this call.
  std::int64_t skipped = 0;
};

/// Enqueues many jobs, a few thousand per round trip. Each row has one value per column; besides
/// your own columns, `id`, `priority`, `max_attempts` and `run_at` may be named; an id that is
/// nothing is made. The jobs are queued in the order of the rows.
///
/// It expects them to be new: the first chunk that has a key which exists is inserted a second
/// time, and the server's log shows the error of the first.
enqueue_result enqueue_many(pqxx::dbtransaction& tx, const job_table& target,
                            const std::vector<std::string>& columns,
                            const std::vector<std::vector<text_value>>& rows);
enqueue_result enqueue_many(pqxx::dbtransaction& tx, std::string_view kind,
                            const std::vector<std::string>& columns,
                            const std::vector<std::vector<text_value>>& rows);

/// A uuid that is ordered by time: for a job whose id must be known before it is enqueued.
std::string new_job_id();

/// What becomes of a job when one that it waits for has failed or was cancelled: it counts as
/// ended, or cancels the job, or the job waits until it has run again and succeeded.
enum class when_failed { run, cancel, hold };

/// A job that runs after others, the parents. Their kind must be attached with joins => true.
struct join {
  std::string child_kind;
  std::string child_id;
  std::string parent_kind;
  /// At most 100,000. Those that have ended count; of none the child runs at once.
  std::vector<std::string> parent_ids;
  /// Left out: as an earlier call for this child said, or else `run`.
  std::optional<when_failed> policy{};
  /// The longest time from now for which the child waits.
  std::optional<std::chrono::milliseconds> at_latest{};
};

/// Lets a job run when others have ended. The first call for a child belongs to the transaction
/// that enqueues it; later ones add parents while it waits, and are refused (pqxx::sql_error) when
/// it does not wait any more. Returns for how many of these parents it waits.
int run_after(pqxx::dbtransaction& tx, const join& what);

/// The same as effects of a handler: the children come to exist with the end of its job, or not at
/// all. They throw bad_input. Give the job an id (new_job_id) to name it in the second one.
effect enqueue_effect(const job_table& target, const new_job& job);
effect run_after_effect(const join& what);

/// Queues a failed or cancelled job again with new attempts. False if there is no such job, or
/// if it is neither.
bool requeue(pqxx::dbtransaction& tx, std::string_view kind, const std::string& id);

/// The same for up to `limit` failed jobs of the kind, the oldest failure first; returns how many.
/// Cancelled jobs are left alone. Those that a trigger of their table keeps failed do not count.
int requeue_failed(pqxx::dbtransaction& tx, std::string_view kind, int limit);

}  // namespace rowrunner
