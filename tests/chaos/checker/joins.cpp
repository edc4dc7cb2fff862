// I13: a child that waits for others is let go once, and not before each of its parents has ended
// since its edge was made, or its time has come; a bad end means what was asked for.

#include <algorithm>
#include <sstream>
#include <unordered_map>

#include "chaos/checker/checker.hpp"

namespace rowrunner::chaos {
namespace {

/// Walks along what happened to one child, with its own transitions between.
class child_walk {
 public:
  child_walk(const evidence& about, const job_story& story, violations& into)
      : about_(about), story_(story), into_(into) {}

  void run() {
    auto own = story_.transitions.begin();
    for (const auto* note : story_.joins) {
      for (; own != story_.transitions.end() && (*own)->n < note->n; ++own) pass(**own);
      take(*note);
    }
    for (; own != story_.transitions.end(); ++own) pass(**own);
    if (waits_ && story_.deleted == nullptr && terminal(story_.row->status)) {
      blame("it has ended and still waits for others");
    }
  }

 private:
  void blame(const std::string& what) {
    into_.push_back({"I13", story_.row->name, what, lines_of(story_)});
  }

  void pass(const transition& t) {
    if (t.claims() && waits_) blame("it was claimed while it waited for others");
    // What it waited for before it was cancelled does not count when it is asked for again.
    if (terminal(t.after)) edges_.clear();
    if (cancelled_by_a_parent(t)) check_cancelled(t);
  }

  void take(const join_row& note) {
    if (note.what == "wait") {
      if (waits_) blame("it waits for others twice");
      if (!in_transaction(note, "held")) blame("it waits for others, and its row does not hold it");
      waits_ = true;
      policy_ = note.policy;
      at_latest_ = note.at_latest;
    } else if (note.what == "latest") {
      at_latest_ = note.at_latest;
    } else if (note.what == "edge") {
      if (!waits_) blame("an edge was made for it though it does not wait");
      edges_.push_back(&note);
    } else if (note.what == "unwait") {
      if (!waits_) blame("it was let go twice");
      waits_ = false;
      if (!goes_with(note)) blame("it waits no longer, and was neither let go nor ended");
    } else if (note.what == "freed") {
      check_freed(note);
    }
  }

  bool in_transaction(const join_row& like, const char* what) const {
    return std::any_of(story_.joins.begin(), story_.joins.end(), [&](const auto* each) {
      return each->what == what && each->txid == like.txid;
    });
  }

  /// Its row is let go in the same transaction, or it ends, or is deleted.
  bool goes_with(const join_row& unwait) const {
    return in_transaction(unwait, "freed") ||
           std::any_of(
               story_.transitions.begin(), story_.transitions.end(),
               [&](const auto* t) { return t->txid == unwait.txid && terminal(t->after); }) ||
           (story_.deleted != nullptr && story_.deleted->txid == unwait.txid);
  }

  void check_freed(const join_row& note) {
    if (in_transaction(note, "held")) return;  // somebody changed its time, and it was held again
    if (!in_transaction(note, "unwait")) blame("it was let run while it waited for others");
    for (const auto* edge : edges_) {
      const auto* parent = about_.story_of(edge->parent_id);
      if (parent == nullptr) continue;
      const bool in_time = at_latest_ && *at_latest_ <= note.at;
      const auto wanted = policy_ == "hold" ? ending::well : ending::any;
      if (!in_time && !ended_between(*parent, edge->n, note, wanted)) {
        blame("it was let go before its parent " + name_of(*parent, *edge) + " had ended");
      }
      if (policy_ == "cancel" && ended_between(*parent, edge->n, note, ending::badly)) {
        blame("it was let go though its parent " + name_of(*parent, *edge) + " did not succeed");
      }
    }
  }

  void check_cancelled(const transition& t) {
    const auto edge = std::find_if(story_.joins.begin(), story_.joins.end(), [&](const auto* each) {
      return each->what == "edge" && t.error.find(each->parent_id) != std::string::npos;
    });
    const bool asked = std::any_of(story_.joins.begin(), story_.joins.end(), [&](const auto* each) {
      return each->what == "wait" && each->policy == "cancel";
    });
    join_row at;
    at.n = t.n;
    const auto* parent = edge == story_.joins.end() ? nullptr : about_.story_of((*edge)->parent_id);
    // A parent that had failed before gets no edge.
    const bool failed_since =
        parent == nullptr || ended_between(*parent, (*edge)->n, at, ending::badly);
    if (!asked || !failed_since) blame("it was cancelled though its parents did not fail");
  }

  static std::string name_of(const job_story& parent, const join_row& edge) {
    return parent.row == nullptr ? edge.parent_id : parent.row->name;
  }

  const evidence& about_;
  const job_story& story_;
  violations& into_;
  bool waits_ = false;
  std::string policy_;
  std::optional<moment> at_latest_;
  std::vector<const join_row*> edges_;
};

/// An answer has its question behind the answer before it.
void check_questions(const evidence& about, violations& into) {
  std::unordered_map<std::string, moment> answered;
  for (const auto* each : about.events("joined")) {
    auto& before = answered[each->word(0)];
    const auto* asked = about.event_about("join", each->word(0), before);
    if (asked == nullptr || asked->at > each->at) {
      into.push_back({"I13", each->word(0), "the history of its joins is not whole", {each->text}});
    }
    before = each->at;
  }
}

/// A run_after whose COMMIT was answered has made as many edges as it said.
void check_answers(const evidence& about, violations& into) {
  std::unordered_map<std::string, int> promised;
  for (const auto* each : about.events("joined"))
    promised[each->word(0)] += std::stoi(each->word(1));
  for (const auto& [child, open] : promised) {
    const auto* story = about.story_named(child);
    const auto edges = story == nullptr
                           ? 0
                           : std::count_if(story->joins.begin(), story->joins.end(),
                                           [](const auto* each) { return each->what == "edge"; });
    if (edges < open) {
      into.push_back({"I13", child,
                      "it was said to wait for " + std::to_string(open) + " jobs and waits for " +
                          std::to_string(edges),
                      story == nullptr ? std::vector<std::string>{} : lines_of(*story)});
    }
  }
}

}  // namespace

bool cancelled_by_a_parent(const transition& t) {
  return t.before == "queued" && t.after == "cancelled" && t.error.starts_with("cancelled: job ");
}

bool visible(std::int64_t txid, const std::string& snapshot) {
  if (snapshot.empty()) return true;
  std::istringstream from(snapshot);
  std::int64_t oldest = 0, next = 0, running = 0;
  char between = 0;
  from >> oldest >> between >> next >> between;
  if (txid >= next) return false;
  while (from >> running) {
    if (running == txid) return false;
    from >> between;
  }
  return true;
}

bool ended_between(const job_story& story, std::int64_t after, const join_row& before, ending how) {
  const auto counts = [&](const std::string& status) {
    if (how == ending::any) return true;
    return (status == "succeeded") == (how == ending::well);
  };
  const auto seen = [&](std::int64_t txid) {
    return txid == before.txid || visible(txid, before.snapshot);
  };
  for (const auto* t : story.transitions) {
    if (t->n <= after || t->n >= before.n || !terminal(t->after)) continue;
    if (counts(t->after) && seen(t->txid)) return true;
  }
  const auto* gone = story.deleted;
  if (gone == nullptr || gone->n <= after || gone->n >= before.n) return false;
  return counts(story.row->status) && seen(gone->txid);
}

void check_joins(const evidence& about, violations& into) {
  for (const auto& [id, story] : about.stories()) {
    if (story.row != nullptr && !story.joins.empty()) child_walk(about, story, into).run();
  }
  check_questions(about, into);
  check_answers(about, into);
}

}  // namespace rowrunner::chaos
