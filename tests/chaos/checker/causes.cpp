// I3, seen from the other side: what is taken from a worker was taken for a reason. A lease is lost
// only by a worker that was dead, stopped or cut off (slow networks, wrong clocks and slow handlers
// are no reason); a job is given back only by a worker that wanted or had to; and a worker that has
// lost a lease tells its handlers.

#include "chaos/behaviour.hpp"
#include "chaos/checker/checker.hpp"

namespace rowrunner::chaos {
namespace {

/// Heartbeats come three times in a lease, so half of one without any trouble leaves time for one.
constexpr int least_share = 2;
/// What a job may be late by when its worker is told, gives up and writes that down.
constexpr moment slack = 2'000'000;

void check_rescue(const evidence& about, const job_story& story, const transition& t,
                  violations& into) {
  const auto trouble = about.impaired(t.worker, t.at - about.lease() - slack, t.at);
  if (trouble * least_share >= about.lease()) return;
  into.push_back({"I3", story.row->name,
                  "lease " + std::to_string(*t.old_lease) + " was taken from " + t.worker +
                      ", which had no trouble that could explain it (" +
                      std::to_string(trouble / 1000) + " ms)",
                  lines_of(story)});
}

void check_release(const evidence& about, const job_story& story, const transition& t,
                   violations& into) {
  const auto lease = *t.old_lease;
  const auto* end = story.find(lease, "end");
  const bool snoozed = end != nullptr && end->detail == "snooze";
  const bool never_ran = story.find(lease, "begin") == nullptr;
  const auto* term = about.event_about("term", t.worker);
  const bool shut_down = term != nullptr && term->at <= t.at;
  if (snoozed || never_ran || shut_down) return;
  into.push_back({"I3", story.row->name,
                  "it was given back under lease " + std::to_string(lease) +
                      ", whose holder did not ask for that",
                  lines_of(story)});
}

void check_stop(const evidence& about, const job_story& story, const transition& t,
                violations& into) {
  const auto* begin = story.find(*t.old_lease, "begin");
  const auto kind = class_of(story.row->name);
  if (begin == nullptr || kind == "late" || kind == "hang") return;
  const auto told_by = about.running_from(begin->worker, t.at) + about.lease() + slack;
  if (about.death(begin->worker) <= told_by || about.over() <= told_by) return;
  for (const auto* each : story.executions) {
    const bool over = each->event == "end" || each->event == "stopped";
    if (each->lease == begin->lease && over && each->at <= told_by) return;
  }
  into.push_back({"I3", story.row->name,
                  begin->worker + " went on with it for a whole lease after it had lost it",
                  lines_of(story)});
}

}  // namespace

void check_causes(const evidence& about, violations& into) {
  for (const auto& [id, story] : about.stories()) {
    if (story.row == nullptr) continue;
    const bool recorded = story.row->kind != "spot_image";
    for (const auto* t : story.transitions) {
      if (!t->leaves_processing()) continue;
      if (t->rescues()) {
        check_rescue(about, story, *t, into);
        if (recorded) check_stop(about, story, *t, into);
      }
      const bool released = t->after == "queued" && t->charged() == 0;
      if (released && recorded) check_release(about, story, *t, into);
    }
  }
}

}  // namespace rowrunner::chaos
