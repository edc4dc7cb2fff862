#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

namespace rowrunner::chaos {

/// Microseconds since 1970.
using moment = std::int64_t;

/// A line of the history outside of the database, or of another log, taken apart. Its text is kept,
/// since it is what a violation shows.
struct line {
  moment at = 0;
  std::string text;
};

/// Something that a handler did: begin, body, call, stored, told, end, stopped, crash.
struct execution_line : line {
  std::string worker, event, job;
  int attempt = 0;
  std::int64_t lease = 0;
  std::string detail;
};

/// Something that an enqueuer did: enqueue (before), then one of enqueued, existed, refused,
/// unknown (the answer to its COMMIT was lost).
struct enqueue_line : line {
  std::string event, kind, job, detail;
};

/// Something that the runner did or saw; see runner/ for the events.
struct runner_line : line {
  std::string event;
  std::vector<std::string> words;
  /// The n-th word, empty if there are not so many.
  const std::string& word(std::size_t n) const;
};

/// A fault that the proxy really made.
struct cut_line : line {
  std::string link, what, way;
  bool commits = false;
  std::string statements;
};

/// A request that the fake image server got, and what it did with it.
struct outside_line : line {
  std::string key, answer;
};

/// "fenced: the lease of the job is lost", from the log of a worker.
struct fenced_line : line {
  std::string worker, job_id;
  std::int64_t lease = 0;
};

/// A change of a job, written by a trigger in the transaction that made it.
struct transition : line {
  std::int64_t n = 0, txid = 0;
  std::string kind, job_id, before, after;
  std::optional<std::int64_t> old_lease, new_lease;
  int old_attempts = 0, new_attempts = 0;
  std::string worker, error;

  bool claims() const { return after == "processing"; }
  bool leaves_processing() const { return before == "processing" && after != "processing"; }
  int charged() const { return new_attempts - old_attempts; }
  /// Taken back from a lost worker. Uncharged, it may also be a release by the worker that had lost
  /// the job before: whether it had stored a step tells (evidence::stored_a_step).
  bool rescues() const;
};

/// What stands in the database at the end.
struct job_row {
  std::string id, kind, name, status;
  int attempts = 0, max_attempts = 0;
  std::string error;
  /// The transaction that made it.
  std::int64_t born = 0;
};
/// A job that was deleted; its row is among the others as it was then.
struct deleted_row {
  std::string job_id;
  std::int64_t n = 0, txid = 0;
};
struct effect_row {
  std::string job_id;
  std::int64_t lease = 0, txid = 0;
};
/// A step, the lease that it was stored under and the one that its job had then.
struct step_row {
  std::string job_id, step;
  std::int64_t written = 0;
  std::optional<std::int64_t> held;
  std::int64_t txid = 0;
  moment at = 0;
};
/// What a step wrote besides its result.
struct page_row {
  std::string job_id, step;
  std::int64_t lease = 0, txid = 0;
};
/// The progress of a job as it is at the end; the message says under which lease it was reported.
struct progress_row {
  std::string job_id;
  std::int64_t done = 0;
  std::string message;
};
/// What happened to a child that waits for others: wait, latest, edge, held, freed, unwait; see
/// schema.sql.
struct join_row : line {
  std::int64_t n = 0, txid = 0;
  std::string what, child_id, parent_id, policy;
  std::optional<moment> at_latest;
  std::string snapshot;
};
struct charge_row {
  std::string job_id;
};
struct picture_row {
  std::string job_id, image_status, file;  ///< file: none, whole, missing or broken
};

/// A spot and its job that a transaction left at odds.
struct disagreement_row {
  std::string job_id, txid, spot, job;
};

/// All that is known about a run.
struct run_record {
  std::uint64_t seed = 0;
  std::vector<execution_line> executions;
  std::vector<enqueue_line> enqueues;
  std::vector<runner_line> runner;
  std::vector<cut_line> cuts;
  std::vector<outside_line> outside;
  std::vector<fenced_line> fenced;
  /// Names of the workers that came as far as "worker started".
  std::vector<std::string> started;
  /// Lines of logs in which a secret stands.
  std::vector<std::string> leaks;
  std::vector<transition> transitions;
  std::vector<job_row> jobs;
  std::vector<effect_row> effects;
  std::vector<step_row> steps;
  std::vector<charge_row> charges;
  std::vector<picture_row> pictures;
  std::vector<disagreement_row> disagreements;
  std::vector<deleted_row> deleted;
  std::vector<page_row> pages;
  std::vector<progress_row> progress;
  std::vector<join_row> joins;
};

bool terminal(const std::string& status);

// Each adds what one line says; a line that cannot be read throws std::runtime_error.
void read_history_line(const std::string& text, run_record& into);
void read_proxy_line(const std::string& text, run_record& into);
void read_outside_line(const std::string& text, run_record& into);
void read_worker_log_line(const std::string& text, run_record& into);
/// Fields separated by tabs, the name of the table first.
void read_database_line(const std::string& text, run_record& into);

/// Reads the folder of a run. Lines in which one of the secrets stands are leaks.
run_record read_run(const std::string& folder, const std::vector<std::string>& secrets);

}  // namespace rowrunner::chaos
