#pragma once

#include <string>
#include <vector>

#include "chaos/checker/evidence.hpp"

namespace rowrunner::chaos {

struct violation {
  std::string invariant, job, what;
  /// The lines that show it.
  std::vector<std::string> lines;
};

/// What a run amounted to; the table that is printed.
struct figures {
  std::int64_t jobs = 0, executions = 0, kills = 0, zombies = 0, handler_crashes = 0, crashes = 0;
  std::int64_t cut_commits = 0, fenced_writes = 0, rescues = 0, duplicates = 0;
  std::int64_t acknowledged = 0, unknown = 0, existed = 0, refused_enqueues = 0;
  std::int64_t releases = 0, cancelled = 0, exhausted = 0, repeated_calls = 0, snapshots = 0;
  /// Children that ran after others, by what had become of these; see reached.cpp.
  std::int64_t joins = 0, joins_after_rescue = 0, joins_by_time = 0, joins_cancelled = 0;
  std::int64_t met = 0, deleted_parents = 0, disturbed = 0;
  /// Steps with effects, and what became of those whose COMMIT was cut.
  std::int64_t steps_with_effects = 0, doubtful_steps_stored = 0, doubtful_steps_repeated = 0;
  /// From the end of a worker to the next run of its jobs, in ms, sorted.
  std::vector<std::int64_t> recoveries_ms;
  std::int64_t drained_ms = 0, slow_ms = 0;
};

struct report {
  std::vector<violation> violations;
  /// The dangerous states that the run never came to; if there are any, it proves nothing.
  std::vector<std::string> unreached;
  figures table;

  bool passed() const { return violations.empty() && unreached.empty(); }
};

/// Holds a run against the invariants. A pure function.
report check(const run_record& all);

/// The table and, on the last lines, what came of it: "passed", "FAILED: ..." or "inconclusive:
/// ...".
std::string printed(const report& about, std::uint64_t seed);

// The parts, each in a file of its own. They add what they find to `into`.
using violations = std::vector<violation>;
void check_enqueues(const evidence& about, violations& into);     // I1, I7
void check_transitions(const evidence& about, violations& into);  // I2, I5
void check_leases(const evidence& about, violations& into);       // I3, I4, I5
void check_causes(const evidence& about, violations& into);       // I3, I5: what was taken, and why
void check_effects(const evidence& about, violations& into);      // I6
void check_joins(const evidence& about, violations& into);        // I13
void check_births(const evidence& about, violations& into);       // I14
void check_snapshots(const evidence& about, violations& into);    // I8, I9
void check_end(const evidence& about, violations& into);          // I11
void check_processes(const evidence& about, violations& into);    // I12
figures measure(const evidence& about);
void measure_joins(const evidence& about, figures& into);
void measure_steps(const evidence& about, figures& into);
std::vector<std::string> unreached(const evidence& about, const figures& t);

/// For the lines of a violation: everything about one job, in the order of time.
std::vector<std::string> lines_of(const job_story& story);
/// The (job id, lease) pairs that the statements of a transaction name, but for those of steps.
std::vector<std::pair<std::string, std::int64_t>> claims_in(const std::string& statements);

/// A step that a transaction stores.
struct named_step {
  std::string job_id;
  std::int64_t lease = 0;
  std::string step;
};
std::vector<named_step> steps_in(const std::string& statements);

/// Whether the transaction was over when this snapshot (xmin:xmax:xip,...) was taken.
bool visible(std::int64_t txid, const std::string& snapshot);
/// Whether this is the end of a child because one of its parents did not succeed.
bool cancelled_by_a_parent(const transition& t);
enum class ending { any, well, badly };
/// Whether the job ended so, or was deleted, behind the first and before the second of these notes,
/// as the snapshot of the second saw it.
bool ended_between(const job_story& story, std::int64_t after, const join_row& before, ending how);

}  // namespace rowrunner::chaos
