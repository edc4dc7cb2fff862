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
  std::int64_t cut_commits = 0, refused_writes = 0, rescues = 0, duplicates = 0;
  std::int64_t acknowledged = 0, unknown = 0, existed = 0, refused_enqueues = 0;
  std::int64_t releases = 0, cancelled = 0, exhausted = 0, repeated_calls = 0, snapshots = 0;
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
void check_snapshots(const evidence& about, violations& into);    // I8, I9
void check_end(const evidence& about, violations& into);          // I11
void check_processes(const evidence& about, violations& into);    // I12
figures measure(const evidence& about);
std::vector<std::string> unreached(const evidence& about, const figures& t);

/// For the lines of a violation: everything about one job, in the order of time.
std::vector<std::string> lines_of(const job_story& story);
/// The (job id, lease) pairs that the statements of a transaction name.
std::vector<std::pair<std::string, std::int64_t>> claims_in(const std::string& statements);

}  // namespace rowrunner::chaos
