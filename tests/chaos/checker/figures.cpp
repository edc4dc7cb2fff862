// The table, and whether the run reached the states that it is about.

#include <algorithm>
#include <map>
#include <unordered_map>

#include "chaos/checker/checker.hpp"

namespace rowrunner::chaos {
namespace {

using deaths = std::unordered_map<std::string, std::vector<moment>>;

/// How long what a worker held when it ended waited for its next run, or its end.
void add_recoveries(const job_story& story, const deaths& when, std::vector<std::int64_t>& into) {
  const auto& all = story.transitions;
  for (auto held = all.begin(); held != all.end(); ++held) {
    const auto found = (*held)->claims() ? when.find((*held)->worker) : when.end();
    if (found == when.end()) continue;
    const auto left = std::next(held);
    for (const auto died : found->second) {
      if ((*held)->at > died || (left != all.end() && (*left)->at <= died)) continue;
      const auto next = std::find_if(
          left, all.end(), [](const auto* t) { return t->claims() || terminal(t->after); });
      if (next != all.end()) into.push_back(((*next)->at - died) / 1000);
    }
  }
}

std::vector<std::int64_t> recoveries(const evidence& about) {
  deaths when;
  for (const auto& each : about.all().executions) {
    if (each.event == "crash") when[each.worker].push_back(each.at);
  }
  for (const auto* each : about.events("kill")) when[each->word(0)].push_back(each->at);
  std::vector<std::int64_t> found;
  for (const auto& [id, story] : about.stories()) add_recoveries(story, when, found);
  std::sort(found.begin(), found.end());
  return found;
}

/// Two runs of one job at the same time.
bool overlap(const job_story& story) {
  std::map<std::int64_t, impairment> runs;
  for (const auto* each : story.executions) {
    auto& run = runs.try_emplace(each->lease, impairment{each->at, each->at}).first->second;
    run.end = std::max(run.end, each->at);
  }
  for (auto a = runs.begin(); a != runs.end(); ++a) {
    for (auto b = std::next(a); b != runs.end(); ++b) {
      const auto& [one, two] = std::pair{a->second, b->second};
      if (one.begin < two.end && two.begin < one.end) return true;
    }
  }
  return false;
}

/// What became of the commits that were cut: how many a worker found to have happened, and how many
/// it wrote again.
struct resolved {
  int committed = 0;
  int aborted = 0;
};

resolved resolve_cuts(const evidence& about) {
  resolved found;
  for (const auto& cut : about.all().cuts) {
    if (!cut.commits || cut.what != "cut") continue;
    for (const auto& [id, lease] : claims_in(cut.statements)) {
      const auto* story = about.story_of(id);
      const auto* end = story == nullptr ? nullptr : story->end_of(lease);
      if (end == nullptr || end->rescues()) continue;
      if (cut.way == "to-client" && end->at <= cut.at) ++found.committed;
      if (cut.way == "to-server" && end->at > cut.at) ++found.aborted;
    }
  }
  return found;
}

}  // namespace

figures measure(const evidence& about) {
  figures t;
  const auto& all = about.all();
  t.jobs = static_cast<std::int64_t>(all.jobs.size());
  for (const auto& each : all.transitions) {
    if (each.claims()) ++t.executions;
    if (each.rescues()) ++t.rescues;
    if (each.leaves_processing() && each.after == "queued" && each.charged() == 0) ++t.releases;
    if (each.after == "cancelled") ++t.cancelled;
    if (each.leaves_processing() && each.after == "failed") {
      const auto* story = about.story_of(each.job_id);
      if (story->row != nullptr && each.new_attempts >= story->row->max_attempts) ++t.exhausted;
    }
  }
  for (const auto& each : all.enqueues) {
    if (each.event == "enqueued") ++t.acknowledged;
    if (each.event == "unknown") ++t.unknown;
    if (each.event == "existed") ++t.existed;
    if (each.event == "refused") ++t.refused_enqueues;
  }
  for (const auto& each : all.cuts) t.cut_commits += each.what == "cut" && each.commits ? 1 : 0;
  for (const auto& each : all.fenced) {
    const auto* story = about.story_of(each.job_id);
    const auto* end = story == nullptr ? nullptr : story->end_of(each.lease);
    if (end != nullptr && end->rescues()) ++t.fenced_writes;
  }
  for (const auto& each : all.executions) {
    if (each.event == "crash") ++t.handler_crashes;
  }
  t.kills = static_cast<std::int64_t>(about.events("kill").size());
  t.recoveries_ms = recoveries(about);
  for (const auto* each : about.events("cont")) {
    // Stopped for less than a lease, it has lost nothing.
    const auto whole = each->at - about.lease();
    if (about.running_from(each->word(0), whole) > whole) ++t.zombies;
  }
  t.crashes = static_cast<std::int64_t>(about.events("crash").size());
  t.snapshots = static_cast<std::int64_t>(about.events("snapshot").size());
  t.slow_ms = about.slow(0, about.over()) / 1000;
  const auto& healed = about.events("healed");
  for (const auto* each : about.events("drained")) {
    if (!healed.empty()) t.drained_ms = (each->at - healed.front()->at) / 1000;
  }
  for (const auto& [id, story] : about.stories()) {
    if (story.effects.size() > 1)
      t.duplicates += static_cast<std::int64_t>(story.effects.size()) - 1;
  }
  std::map<std::string, int> calls;
  for (const auto& each : all.outside) t.repeated_calls += calls[each.key]++ > 0 ? 1 : 0;
  return t;
}

std::vector<std::string> unreached(const evidence& about, const figures& t) {
  bool holder_lived = false, stale_finish = false, stale_fail = false, overlapped = false;
  for (const auto& [id, story] : about.stories()) {
    for (const auto* each : story.transitions) {
      if (each->rescues() && about.death(each->worker) > each->at) holder_lived = true;
    }
    overlapped = overlapped || overlap(story);
  }
  for (const auto& each : about.all().fenced) {
    const auto* story = about.story_of(each.job_id);
    const auto* lost = story == nullptr ? nullptr : story->end_of(each.lease);
    const auto* end = story == nullptr ? nullptr : story->find(each.lease, "end");
    if (lost == nullptr || !lost->rescues() || end == nullptr) continue;
    if (end->detail == "ok" || end->detail == "effect") stale_finish = true;
    if (end->detail.starts_with("fail") || end->detail == "later") stale_fail = true;
  }
  const auto cuts = resolve_cuts(about);
  std::vector<std::string> missing;
  const auto need = [&](bool reached, const char* what) {
    if (!reached) missing.emplace_back(what);
  };
  need(holder_lived, "a job rescued while its old holder lived");
  need(stale_finish, "a stale finish fenced");
  need(stale_fail, "a stale fail fenced");
  need(cuts.committed > 0, "a lost commit resolved as committed");
  need(cuts.aborted > 0, "a lost commit resolved as aborted");
  need(t.exhausted > 0, "attempts exhausted");
  need(t.existed > 0, "a duplicate key refused");
  need(t.releases > 0, "a release without charge");
  need(overlapped, "two executions overlapping");
  need(t.joins_after_rescue > 0, "a join fired after a parent's worker was lost");
  need(t.met > 0, "an end that met a run_after");
  need(t.doubtful_steps_stored > 0, "a step whose answer was lost");
  need(t.snapshots > 0, "a snapshot looked at");
  need(about.kept_up(), "a machine that keeps up");
  return missing;
}

}  // namespace rowrunner::chaos
