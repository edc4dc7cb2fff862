// How often a run came to the dangerous states of joins and of steps with effects.

#include <algorithm>
#include <set>
#include <unordered_map>

#include "chaos/checker/checker.hpp"

namespace rowrunner::chaos {
namespace {

/// What one child met with.
class child_measure {
 public:
  child_measure(const evidence& about, const job_story& child, figures& into)
      : about_(about), child_(child), into_(into) {}

  void run() {
    std::optional<moment> at_latest;
    std::set<std::int64_t> held_again;
    for (const auto* each : child_.joins) {
      if (each->what == "held") held_again.insert(each->txid);
    }
    for (const auto* each : child_.joins) {
      if (each->what == "wait" || each->what == "latest") at_latest = each->at_latest;
      if (each->what == "edge") edges_.push_back(each);
      if (each->what != "freed" || held_again.contains(each->txid)) continue;
      ++into_.joins;
      if (at_latest && *at_latest <= each->at && waited_in_vain(*each)) ++into_.joins_by_time;
      if (after_a_rescue(*each)) ++into_.joins_after_rescue;
    }
    for (const auto* t : child_.transitions) {
      if (cancelled_by_a_parent(*t)) ++into_.joins_cancelled;
    }
    for (const auto* edge : edges_) count_parent(*edge);
  }

 private:
  bool waited_in_vain(const join_row& freed) const {
    return std::any_of(edges_.begin(), edges_.end(), [&](const auto* edge) {
      const auto* parent = about_.story_of(edge->parent_id);
      return parent != nullptr && !ended_between(*parent, edge->n, freed, ending::any);
    });
  }

  bool after_a_rescue(const join_row& freed) const {
    return std::any_of(edges_.begin(), edges_.end(), [&](const auto* edge) {
      const auto* parent = about_.story_of(edge->parent_id);
      return parent != nullptr &&
             std::any_of(
                 parent->transitions.begin(), parent->transitions.end(),
                 [&](const auto* t) { return t->n > edge->n && t->n < freed.n && t->rescues(); });
    });
  }

  /// The handler of a parent ended while the transaction that had made its edge was still open.
  void count_parent(const join_row& edge) {
    const auto* parent = about_.story_of(edge.parent_id);
    if (parent == nullptr || parent->row == nullptr) return;
    if (parent->deleted != nullptr && parent->deleted->n > edge.n) ++into_.deleted_parents;
    const auto* answered = about_.event_about("joined", child_.row->name, edge.at);
    if (answered == nullptr) return;
    for (const auto* run : parent->executions) {
      const bool meanwhile = run->event == "end" && run->at > edge.at && run->at < answered->at;
      const auto* end = meanwhile ? parent->end_of(run->lease) : nullptr;
      if (end != nullptr && !end->rescues() && end->n > edge.n) ++into_.met;
    }
  }

  const evidence& about_;
  const job_story& child_;
  figures& into_;
  std::vector<const join_row*> edges_;
};

}  // namespace

void measure_joins(const evidence& about, figures& into) {
  for (const auto& [id, story] : about.stories()) {
    if (story.row != nullptr && !story.joins.empty()) child_measure(about, story, into).run();
  }
  into.disturbed = static_cast<std::int64_t>(about.events("disturb").size());
}

void measure_steps(const evidence& about, figures& into) {
  into.steps_with_effects = static_cast<std::int64_t>(about.all().pages.size());
  for (const auto& cut : about.all().cuts) {
    if (!cut.commits || cut.what != "cut") continue;
    for (const auto& [id, lease, name] : steps_in(cut.statements)) {
      const auto* story = about.story_of(id);
      if (story == nullptr) continue;
      for (const auto* step : story->steps) {
        if (step->step != name || step->written != lease) continue;
        if (cut.way == "to-client" && step->at <= cut.at) ++into.doubtful_steps_stored;
        if (cut.way == "to-server" && step->at > cut.at) ++into.doubtful_steps_repeated;
      }
    }
  }
}

}  // namespace rowrunner::chaos
