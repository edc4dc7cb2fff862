// I3, seen from the other side: what is taken from a worker was taken for a reason. A lease is lost
// only by a worker that was dead, stopped or cut off (slow networks, wrong clocks and slow handlers
// are no reason); a job is given back only by a worker that wanted or had to; a run is cancelled
// only if somebody asked for it while it went on; and a worker that has lost a lease tells its
// handlers. I5, likewise: an attempt that was charged had failed.

#include <algorithm>

#include "chaos/behaviour.hpp"
#include "chaos/checker/checker.hpp"

namespace rowrunner::chaos {
namespace {

/// Heartbeats come three times in a lease, so half of one without any trouble leaves time for one.
constexpr int least_share = 2;
/// What a job may be late by when its worker is told, gives up and writes that down.
constexpr moment slack = 2'000'000;

/// For so long a write may wait for somebody's lock before it is given up and tried again.
constexpr moment longest_try = 1'000'000;

/// How long the end of this run had waited to be written when its worker died: it holds the row of
/// the lease meanwhile, which gets its heartbeat only between two tries.
moment unwritten_at_death(const evidence& about, const job_story& story, const transition& t) {
  const auto died = about.death(t.worker);
  const auto* ended = story.find(*t.old_lease, "end");
  if (ended == nullptr || died > t.at || ended->at > died) return 0;
  return std::min(died - ended->at, longest_try);
}

void check_rescue(const evidence& about, const job_story& story, const transition& t,
                  violations& into) {
  const auto trouble_until = [&](moment at) {
    return about.impaired(t.worker, at - about.lease() - slack, at);
  };
  const auto enough = [&](moment at) { return trouble_until(at) * least_share >= about.lease(); };
  const auto trouble = trouble_until(t.at) + unwritten_at_death(about, story, t);
  if (trouble * least_share >= about.lease()) return;
  // A heartbeat that was on its way when the worker gave up may have extended the lease once more.
  const auto& stops = about.stops_by(t.worker);
  if (std::any_of(stops.begin(), stops.end(), [&](moment at) {
        return at <= t.at && at >= t.at - about.lease() - slack && enough(at);
      })) {
    return;
  }
  const auto* claim = story.claim_of(*t.old_lease);
  if (claim != nullptr && about.clock_jumped(claim->at, t.at)) return;
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

/// The request must have been under way at some time of this very run: one that was answered before
/// is about an earlier one.
void check_cancel(const evidence& about, const job_story& story, const transition& t,
                  violations& into) {
  const auto& name = story.row->name;
  const auto* claim = story.claim_of(*t.old_lease);
  const auto& answers = about.events_about("asked", name);
  for (const auto* each : about.events_about("cancel", name)) {
    const auto answer = std::find_if(answers.begin(), answers.end(), [&](const auto* one) {
      return one->word(1) == each->word(1);
    });
    const bool before = answer != answers.end() && claim != nullptr && (*answer)->at < claim->at;
    if (each->at <= t.at && !before) return;
  }
  into.push_back({"I3", name,
                  "it was cancelled under lease " + std::to_string(*t.old_lease) +
                      ", though it was not asked for while this run went on",
                  lines_of(story)});
}

/// What was begun and ended well is charged only if the database refused it, or if somebody held
/// its rows for so long that it could not be written.
void check_charge(const evidence& about, const job_story& story, const transition& t,
                  violations& into) {
  const auto* end = story.find(*t.old_lease, "end");
  if (end == nullptr || end->detail.starts_with("fail") || end->detail == "final" ||
      end->detail == "later") {
    return;
  }
  const auto& faults = about.events("fault-begin");
  const bool locks = std::any_of(faults.begin(), faults.end(), [&](const auto* each) {
    return each->word(0) == "22" && each->at <= t.at;
  });
  const bool refused = end->detail == "refused-effect" &&
                       t.error.starts_with("the outcome was refused by the database");
  const bool held_up = locks && t.error.starts_with("the outcome could not be written");
  if (refused || held_up || t.error.starts_with("timed out") || t.error.starts_with("cancelled")) {
    return;
  }
  into.push_back({"I5", story.row->name,
                  "lease " + std::to_string(*t.old_lease) + " ended with " + end->detail +
                      " and was charged as a failure: " + t.error,
                  lines_of(story)});
}

/// A job that gets further with each run must survive any number of lost workers.
void blame_charge(const job_story& story, const transition& t, violations& into) {
  into.push_back({"I5", story.row->name,
                  "it had stored a step under lease " + std::to_string(*t.old_lease) +
                      " and was charged when its worker was lost",
                  lines_of(story)});
}

/// What it was told to stop in the middle of may have been a write that was sent, and came back
/// only when the worker was no longer cut off.
void check_stop(const evidence& about, const job_story& story, const transition& t,
                violations& into) {
  const auto* begin = story.find(*t.old_lease, "begin");
  const auto kind = class_of(story.row->name);
  if (begin == nullptr || kind == "late" || kind == "hang") return;
  const auto usual = t.at + about.lease() + slack;
  const auto told_by = about.put_off(begin->worker, t.at, usual);
  if (about.death(begin->worker) <= told_by || about.over() <= told_by) return;
  const auto unwound_by = about.put_off_by_impairments(begin->worker, t.at, usual);
  for (const auto* each : story.executions) {
    if (each->lease != begin->lease) continue;
    if (each->event == "end" && each->at <= told_by) return;
    if (each->event == "stopped" && each->at <= std::max(told_by, unwound_by)) return;
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
      const bool got_further = recorded && about.stored_a_step(id, *t->old_lease);
      const bool rescued = t->rescues() && (t->charged() == 1 || got_further || !recorded);
      if (rescued) {
        check_rescue(about, story, *t, into);
        if (recorded) check_stop(about, story, *t, into);
        if (got_further && t->charged() == 1) blame_charge(story, *t, into);
      }
      if (!recorded) continue;
      const bool released = t->after == "queued" && t->charged() == 0 && !rescued;
      if (released) check_release(about, story, *t, into);
      if (t->after == "cancelled") check_cancel(about, story, *t, into);
      if (t->charged() == 1 && !t->rescues()) check_charge(about, story, *t, into);
    }
  }
}

}  // namespace rowrunner::chaos
