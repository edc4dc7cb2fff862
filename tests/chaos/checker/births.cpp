// I14: what a step writes exists exactly with the step, once; what an end makes exists with that
// end. What a job reported last is there when it has ended.

#include <algorithm>
#include <map>

#include "chaos/behaviour.hpp"
#include "chaos/checker/checker.hpp"

namespace rowrunner::chaos {
namespace {

bool has_effects(const std::string& step) {
  return step == "build" || step == "open" || step.starts_with("page-");
}

class birth_check {
 public:
  birth_check(const evidence& about, violations& into) : about_(about), into_(into) {}

  void run() {
    for (const auto& [id, story] : about_.stories()) {
      if (story.row == nullptr || story.row->kind == "spot_image") continue;
      check_steps(story);
      check_fork(story);
      check_progress(story);
      if (made_by_a_job(story.row->name)) check_maker(story);
    }
  }

 private:
  void blame(const job_story& story, const std::string& what) {
    into_.push_back({"I14", story.row->name, what, lines_of(story)});
  }

  void check_steps(const job_story& story) {
    std::map<std::string, const step_row*> stored;
    for (const auto* step : story.steps) {
      if (!stored.emplace(step->step, step).second) {
        blame(story, "its step " + step->step + " was stored twice");
      }
    }
    std::map<std::string, int> rows;
    for (const auto* page : story.pages) {
      ++rows[page->step];
      const auto step = stored.find(page->step);
      if (step == stored.end() || step->second->txid != page->txid ||
          step->second->written != page->lease) {
        blame(story, "an effect of its step " + page->step + " came without the step");
      }
    }
    for (const auto& [name, step] : stored) {
      const int wanted = has_effects(name) ? 1 : 0;
      if (rows[name] != wanted) {
        blame(story, "its step " + name + " has " + std::to_string(rows[name]) +
                         " effects instead of " + std::to_string(wanted));
      }
      check_children(story, *step);
    }
  }

  /// A child that is born in this transaction; null and blamed if it was not.
  const job_story* child(const job_story& of, const std::string& name, std::int64_t txid) {
    const auto* found = about_.story_named(name);
    if (found != nullptr && found->row->born == txid) return found;
    blame(of, "its child " + name + " was not born with it");
    return nullptr;
  }

  void need_edge(const job_story& of, const job_story* parent, const job_story* later,
                 std::int64_t txid) {
    if (parent == nullptr || later == nullptr) return;
    if (later->edge_from(parent->row->id, txid) == nullptr) {
      blame(of, later->row->name + " does not wait for " + parent->row->name);
    }
  }

  void check_children(const job_story& story, const step_row& step) {
    const auto& name = story.row->name;
    if (class_of(name) != "pages") return;
    if (step.step == "open") {
      need_edge(story, &story, child(story, sum_of(name), step.txid), step.txid);
    }
    if (!step.step.starts_with("page-")) return;
    const int page = std::stoi(step.step.substr(5));
    if (!has_kid(about_.all().seed, name, page)) return;
    const auto* kid = child(story, kid_of(name, page), step.txid);
    if (pages_of(about_.all().seed, name).summed) {
      need_edge(story, kid, about_.story_named(sum_of(name)), step.txid);
    }
  }

  /// The success that was a fork, or null.
  const transition* fork_of(const job_story& story) const {
    for (const auto* t : story.transitions) {
      if (!t->leaves_processing() || t->after != "succeeded") continue;
      const auto* end = story.find(*t->old_lease, "end");
      if (end == nullptr || end->detail != "effect") continue;
      const auto plan = behaviour_of(about_.all().seed, story.row->name, end->attempt);
      if (plan.what == action::fork) return t;
    }
    return nullptr;
  }

  void check_fork(const job_story& story) {
    const auto* success = fork_of(story);
    if (success == nullptr) return;
    const auto& name = story.row->name;
    const auto* total = child(story, total_of(name), success->txid);
    for (int i = 1; i <= leaves_of_a_fork; ++i) {
      const auto* leaf = child(story, leaf_of(name, i), success->txid);
      need_edge(story, leaf, total, success->txid);
    }
  }

  /// A job that another one made exists only if that one's step, or end, does.
  void check_maker(const job_story& story) {
    const auto& name = story.row->name;
    const auto kind = class_of(name);
    auto maker_name = name.substr(kind.size() + 1);
    std::string step = "open";
    if (kind == "kid" || kind == "leaf") {
      const auto cut = maker_name.rfind('-');
      step = "page-" + maker_name.substr(cut + 1);
      maker_name.resize(cut);
    }
    const auto* maker = about_.story_named(maker_name);
    bool made = false;
    if (maker != nullptr && (kind == "leaf" || kind == "total")) {
      const auto* success = fork_of(*maker);
      made = success != nullptr && success->txid == story.row->born;
    } else if (maker != nullptr) {
      for (const auto* each : maker->steps) {
        made = made || (each->step == step && each->txid == story.row->born);
      }
    }
    if (!made) blame(story, "it exists without what made it");
  }

  /// What was reported last in a run that its own worker ended is there, unless a later run has
  /// reported since.
  void check_progress(const job_story& story) {
    if (story.deleted != nullptr) return;
    std::map<std::int64_t, std::string> last;
    for (const auto* each : story.executions) {
      if (each->event == "told") last[each->lease] = each->detail;
    }
    std::string wanted;
    std::map<std::string, std::string> other;  // by a later run, which was lost
    for (const auto* t : story.transitions) {
      if (!t->leaves_processing() || !last.contains(*t->old_lease)) continue;
      const auto lease = "lease " + std::to_string(*t->old_lease);
      if (story.find(*t->old_lease, "end") != nullptr && !t->rescues()) {
        wanted = lease + " " + last.at(*t->old_lease);
        other.clear();
      } else {
        other[lease] = last.at(*t->old_lease);
      }
    }
    const auto* found = story.progress;
    if (found != nullptr) check_report(story, *found);
    if (wanted.empty()) return;
    if (found != nullptr && other.contains(found->message)) return;
    const auto said =
        found == nullptr ? "nothing" : found->message + " " + std::to_string(found->done);
    if (said != wanted) {
      blame(story, "its progress says " + said + ", reported was " + wanted);
    }
  }

  /// A worker may be killed before it notes what it has reported, but not in a run that ended.
  void check_report(const job_story& story, const progress_row& found) {
    const auto lease = std::stoll(found.message.substr(found.message.rfind(' ') + 1));
    const bool told =
        std::any_of(story.executions.begin(), story.executions.end(), [&](const auto* each) {
          return each->event == "told" && each->lease == lease &&
                 each->detail == std::to_string(found.done);
        });
    if (!told && story.find(lease, "end") != nullptr) {
      blame(story, "its progress says what nobody reported");
    }
  }

  const evidence& about_;
  violations& into_;
};

}  // namespace

void check_births(const evidence& about, violations& into) { birth_check(about, into).run(); }

}  // namespace rowrunner::chaos
