// I1: every acknowledged enqueue exists; an unacknowledged one exists 0 or 1 times.
// I7: a key exists once.

#include <set>
#include <unordered_map>

#include "chaos/behaviour.hpp"
#include "chaos/checker/checker.hpp"

namespace rowrunner::chaos {
namespace {

struct asked {
  int tries = 0;
  int answers = 0;
  std::vector<const enqueue_line*> lines;
};

void check_answer(const evidence& about, const enqueue_line& each, violations& into) {
  const auto* story = about.story_named(each.job);
  if (each.event == "enqueued" && (story == nullptr || story->row->id != each.detail)) {
    into.push_back({"I1", each.job, "an acknowledged enqueue is not there", {each.text}});
  }
  if (each.event == "existed" && story == nullptr) {
    into.push_back(
        {"I1", each.job, "an enqueue was told that it exists, and it does not", {each.text}});
  }
}

}  // namespace

void check_enqueues(const evidence& about, violations& into) {
  std::unordered_map<std::string, asked> by_name;
  for (const auto& each : about.all().enqueues) {
    auto& one = by_name[each.job];
    one.lines.push_back(&each);
    ++(each.event == "enqueue" ? one.tries : one.answers);
    check_answer(about, each, into);
  }
  for (const auto& [name, one] : by_name) {
    if (one.tries != one.answers) {
      into.push_back({"I1", name, "the history of its enqueues is not whole", {}});
      for (const auto* each : one.lines) into.back().lines.push_back(each->text);
    }
  }
  std::set<std::pair<std::string, std::string>> keys;
  for (const auto& job : about.all().jobs) {
    if (!keys.emplace(job.kind, job.name).second) {
      into.push_back({"I7", job.name, "the key exists twice", {}});
    }
    // What another job made must be there with it (I14).
    if (!by_name.contains(job.name) && !made_by_a_job(job.name)) {
      into.push_back({"I1", job.name, "it exists and nobody enqueued it", {}});
    }
  }
}

}  // namespace rowrunner::chaos
