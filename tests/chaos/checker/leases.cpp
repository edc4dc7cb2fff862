// I3: every accepted worker write carried the current lease.
// I4: a lease number is never reused, not even after a crash of the server.
// I5: a claim is run at most once.

#include <map>
#include <set>

#include "chaos/checker/checker.hpp"

namespace rowrunner::chaos {
namespace {

/// Claims commit asynchronously: a crash takes back those of the last moments, which their workers
/// have begun to run.
constexpr moment lost_claims_before = 1'000'000;
constexpr moment lost_claims_after = 4'000'000;

bool failing(const std::string& detail) {
  return detail.starts_with("fail") || detail == "final" || detail == "later";
}

bool recorded(const job_story& story) { return story.row->kind != "spot_image"; }

void check_numbers(const evidence& about, violations& into) {
  struct holder {
    std::set<std::int64_t> transactions;
    std::set<std::string> workers;
    std::vector<const line*> lines;
  };
  std::map<std::int64_t, holder> holders;
  for (const auto& t : about.all().transitions) {
    if (!t.claims() || !t.new_lease) continue;
    auto& one = holders[*t.new_lease];
    one.transactions.insert(t.txid);
    one.workers.insert(t.worker);
    one.lines.push_back(&t);
  }
  for (const auto& each : about.all().executions) {
    if (each.event != "begin") continue;
    auto& one = holders[each.lease];
    one.workers.insert(each.worker);
    one.lines.push_back(&each);
  }
  for (const auto& [lease, one] : holders) {
    if (one.transactions.size() > 1 || one.workers.size() > 1) {
      into.push_back({"I4", "-", "lease " + std::to_string(lease) + " was given out twice", {}});
      for (const auto* each : one.lines) into.back().lines.push_back(each->text);
    }
  }
}

void check_begins(const evidence& about, const job_story& story, violations& into) {
  const auto blame = [&](const char* invariant, const std::string& what) {
    into.push_back({invariant, story.row->name, what, lines_of(story)});
  };
  std::set<std::int64_t> begun;
  std::map<std::int64_t, moment> begins;
  for (const auto* each : story.executions) {
    if (each->event == "begin") {
      if (!begun.insert(each->lease).second) blame("I5", "it was run twice under one lease");
      begins.emplace(each->lease, each->at);
      const bool claimed = story.claim_of(each->lease) != nullptr;
      if (!claimed && !about.crashed(each->at - lost_claims_before, each->at + lost_claims_after)) {
        blame("I3", "it was run under a lease that it never had");
      }
    } else if (!begun.contains(each->lease)) {
      blame("I5", "its history is not whole: " + each->event + " without begin");
    }
  }
  // A run that just ends, with no line and no death, has lost a line.
  for (const auto& [lease, at] : begins) {
    const auto* first = story.find(lease, "begin");
    const bool ended = story.find(lease, "end") != nullptr ||
                       story.find(lease, "stopped") != nullptr ||
                       story.find(lease, "crash") != nullptr;
    const bool hangs = first->job.starts_with("hang-");
    if (!ended && !hangs && about.death(first->worker) > about.over()) {
      blame("I5", "its history is not whole: begin without an end");
    }
  }
}

void check_ends(const job_story& story, violations& into) {
  const auto blame = [&](const std::string& what) {
    into.push_back({"I3", story.row->name, what, lines_of(story)});
  };
  for (const auto* t : story.transitions) {
    if (!t->leaves_processing()) continue;
    if (t->after == "succeeded") {
      const auto* end = story.find(*t->old_lease, "end");
      const bool well = end != nullptr && (end->detail == "ok" || end->detail == "effect");
      if (!well || end->at > t->at) {
        blame("it succeeded under lease " + std::to_string(*t->old_lease) +
              ", whose holder did not end it");
      }
    }
    if (t->charged() == 1 && t->error.starts_with("seeded ")) {
      const auto* end = story.find(*t->old_lease, "end");
      const auto said = t->error.substr(t->error.rfind(' ') + 1);
      if (end == nullptr || !failing(end->detail) || said != std::to_string(*t->old_lease)) {
        blame("a failure counted under lease " + std::to_string(*t->old_lease) +
              " that came from another");
      }
    }
  }
}

void check_steps(const evidence& about, violations& into) {
  for (const auto& each : about.all().steps) {
    if (each.written == each.held) continue;
    const auto* story = about.story_of(each.job_id);
    const bool known = story != nullptr && story->row != nullptr;
    into.push_back({"I3", known ? story->row->name : each.job_id,
                    "its step " + each.step + " was stored under lease " +
                        std::to_string(each.written) + " while it had " +
                        (each.held ? "lease " + std::to_string(*each.held) : "none"),
                    known ? lines_of(*story) : std::vector<std::string>{}});
  }
}

}  // namespace

void check_leases(const evidence& about, violations& into) {
  check_numbers(about, into);
  check_steps(about, into);
  for (const auto& [id, story] : about.stories()) {
    if (story.row == nullptr || !recorded(story)) continue;
    check_begins(about, story, into);
    check_ends(story, into);
  }
}

}  // namespace rowrunner::chaos
