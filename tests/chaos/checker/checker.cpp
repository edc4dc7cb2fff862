#include "chaos/checker/checker.hpp"

#include <algorithm>
#include <map>
#include <sstream>

namespace rowrunner::chaos {
namespace {

constexpr std::size_t most_lines = 40;
constexpr std::size_t most_violations = 10;

std::int64_t percentile(const std::vector<std::int64_t>& sorted, int percent) {
  if (sorted.empty()) return 0;
  const auto at = (sorted.size() * static_cast<std::size_t>(percent) + 99) / 100;
  return sorted[std::max<std::size_t>(at, 1) - 1];
}

/// Without the numbers, which are different every time.
std::string gist(const std::string& what) {
  std::string out;
  for (const char c : what) {
    const bool digit = c >= '0' && c <= '9';
    if (!digit) {
      out += c;
    } else if (out.empty() || out.back() != '#') {
      out += '#';
    }
  }
  return out;
}

}  // namespace

std::vector<std::string> lines_of(const job_story& story) {
  std::vector<const line*> all;
  for (const auto* each : story.transitions) all.push_back(each);
  for (const auto* each : story.executions) all.push_back(each);
  for (const auto* each : story.joins) all.push_back(each);
  std::stable_sort(all.begin(), all.end(),
                   [](const auto* a, const auto* b) { return a->at < b->at; });
  std::vector<std::string> texts;
  for (const auto* each : all) texts.push_back(each->text);
  return texts;
}

report check(const run_record& all) {
  const evidence about(all);
  report result;
  for (const auto part :
       {check_enqueues, check_transitions, check_leases, check_causes, check_effects, check_joins,
        check_births, check_snapshots, check_end, check_processes}) {
    part(about, result.violations);
  }
  result.table = measure(about);
  measure_joins(about, result.table);
  measure_steps(about, result.table);
  result.unreached = unreached(about, result.table);
  return result;
}

std::string printed(const report& about, std::uint64_t seed) {
  const auto& t = about.table;
  std::ostringstream out;
  const auto row = [&](const char* name, std::int64_t value) {
    out << "  " << name
        << std::string(34 - std::min<std::size_t>(33, std::string(name).size()), ' ') << value
        << "\n";
  };
  out << "seed " << seed << "\n";
  row("jobs", t.jobs);
  row("executions", t.executions);
  row("worker kills", t.kills);
  row("zombies", t.zombies);
  row("crashes by a handler", t.handler_crashes);
  row("server crashes", t.crashes);
  row("cut commits", t.cut_commits);
  row("stale writes fenced", t.fenced_writes);
  row("rescues", t.rescues);
  row("recovery p50, ms", percentile(t.recoveries_ms, 50));
  row("recovery p99, ms", percentile(t.recoveries_ms, 99));
  row("recovery max, ms", t.recoveries_ms.empty() ? 0 : t.recoveries_ms.back());
  row("duplicates of keyed effects", t.duplicates);
  row("enqueues acknowledged", t.acknowledged);
  row("enqueues in doubt", t.unknown);
  row("duplicate keys refused", t.existed);
  row("poison refused", t.refused_enqueues);
  row("released uncharged", t.releases);
  row("cancelled", t.cancelled);
  row("attempts exhausted", t.exhausted);
  row("outside calls repeated", t.repeated_calls);
  row("joins fired", t.joins);
  row("joins fired after a rescue", t.joins_after_rescue);
  row("joins fired by their time", t.joins_by_time);
  row("joins cancelled by a parent", t.joins_cancelled);
  row("ends that met a run_after", t.met);
  row("parents deleted", t.deleted_parents);
  row("held children disturbed", t.disturbed);
  row("steps with effects", t.steps_with_effects);
  row("steps in doubt, found stored", t.doubtful_steps_stored);
  row("steps in doubt, stored again", t.doubtful_steps_repeated);
  row("snapshots looked at", t.snapshots);
  row("drained after, ms", t.drained_ms);
  row("machine too slow, ms", t.slow_ms);
  std::size_t shown = 0;
  for (const auto& each : about.violations) {
    if (++shown > most_violations) break;
    out << "FAILED: " << each.invariant << ", job " << each.job << ": " << each.what << " (seed "
        << seed << ")\n";
    const auto n = std::min(each.lines.size(), most_lines);
    for (std::size_t i = 0; i < n; ++i) out << "    " << each.lines[i] << "\n";
  }
  if (!about.violations.empty()) {
    std::map<std::string, int> alike;
    for (const auto& each : about.violations) ++alike[each.invariant + ": " + gist(each.what)];
    for (const auto& [what, times] : alike) out << "FAILED: " << times << " × " << what << "\n";
    out << "FAILED: " << about.violations.size() << " violations, seed " << seed << "\n";
  } else if (!about.unreached.empty()) {
    out << "inconclusive: never reached: ";
    for (const auto& each : about.unreached) {
      out << (&each == &about.unreached.front() ? "" : "; ") << each;
    }
    out << " (seed " << seed << ")\n";
  } else {
    out << "passed\n";
  }
  return out.str();
}

}  // namespace rowrunner::chaos
