// I8: image_status agrees with the job's status in every committed snapshot, and pictures are
// whole. I9: every queued job has a place, every processing one a lease, in every committed
// snapshot. I11: after the faults stop, every job ends in time. I12: no crash, no leak, no secret
// in a log.

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "chaos/behaviour.hpp"
#include "chaos/checker/checker.hpp"

namespace rowrunner::chaos {
namespace {

std::string word_for(const job_row& job) {
  const bool fresh = job.attempts == 0 || job.attempts >= job.max_attempts;
  if (job.status == "queued") return fresh ? "not_started" : "processing";
  return job.status;
}

/// The bound knows of handlers that take up to four seconds; of those that take longer on purpose,
/// in ms, by how much. One may have been begun anew just before the faults ended.
moment longer_than_others(const evidence& about, const job_row& job) {
  constexpr moment known = 4'000;
  const auto takes = behaviour_of(about.all().seed, job.name, job.attempts + 1).time.count();
  return std::max<moment>(takes - known, 0);
}

/// What a child that still waits when the faults end needs behind the end of its last parent: to be
/// let go, and all its attempts; in ms.
constexpr moment after_a_parent = 2'000 + 11'000;

/// By when a job must have ended, in ms after the faults.
class bounds {
 public:
  bounds(const evidence& about, moment faults_until)
      : about_(about),
        faults_until_(faults_until),
        usual_(about.setting("bound_ms") + about.slow(faults_until, about.over()) / 1000) {}

  moment usual() const { return usual_; }

  moment of(const job_story& story) {
    if (story.row == nullptr) return usual_;
    const auto [known, fresh] = known_.try_emplace(story.row->id, usual_);
    if (!fresh) return known->second;
    moment latest = usual_;
    for (const auto* edge : story.joins) {
      if (edge->at_latest && *edge->at_latest > faults_until_) {
        latest = std::max(latest, (*edge->at_latest - faults_until_) / 1000 + after_a_parent);
      }
      if (edge->what != "edge") continue;
      const auto* parent = about_.story_of(edge->parent_id);
      if (parent == nullptr || parent == &story || ended_in_time(*parent)) continue;
      latest = std::max(latest, of(*parent) + after_a_parent);
    }
    latest += longer_than_others(about_, *story.row);
    known_[story.row->id] = latest;
    return latest;
  }

 private:
  /// Whether nothing happened to it any more when the faults were over.
  bool ended_in_time(const job_story& story) const {
    return story.deleted != nullptr || (terminal(story.row == nullptr ? "" : story.row->status) &&
                                        story.transitions.back()->at <= faults_until_);
  }

  const evidence& about_;
  moment faults_until_;
  moment usual_;
  std::unordered_map<std::string, moment> known_;
};

std::string ended_late(moment bound) {
  return "it ended later than " + std::to_string(bound) + " ms after the faults";
}

constexpr moment grace_slack = 3'000'000;
constexpr std::int64_t most_memory_kb = 400'000;
constexpr std::int64_t most_files = 200;

}  // namespace

void check_snapshots(const evidence& about, violations& into) {
  for (const auto* each : about.events("disagreement")) {
    into.push_back({each->word(0), each->word(1), "seen in a committed snapshot", {each->text}});
  }
  for (const auto& each : about.all().disagreements) {
    const auto* story = about.story_of(each.job_id);
    const bool known = story != nullptr && story->row != nullptr;
    into.push_back(
        {"I8", known ? story->row->name : each.job_id,
         "transaction " + each.txid + " left its spot " + each.spot + " and the job " + each.job,
         known ? lines_of(*story) : std::vector<std::string>{}});
  }
  for (const auto& each : about.all().pictures) {
    const auto* story = about.story_of(each.job_id);
    if (story == nullptr || story->row == nullptr) continue;
    if (each.image_status != word_for(*story->row)) {
      into.push_back({"I8", story->row->name,
                      "its spot says " + each.image_status + ", the job " + story->row->status,
                      lines_of(*story)});
    }
    const std::string wanted = story->row->status == "succeeded" ? "whole" : each.file;
    if (each.file != wanted || each.file == "missing" || each.file == "broken") {
      into.push_back({"I8", story->row->name, "its picture is " + each.file, lines_of(*story)});
    }
  }
}

void check_end(const evidence& about, violations& into) {
  const auto& healed = about.events("healed");
  const auto& drained = about.events("drained");
  if (healed.empty() || drained.empty() || about.lease() == 0) {
    into.push_back({"I11", "-", "the run did not come to its end", {}});
    return;
  }
  const auto faults_until = healed.front()->at;
  const auto slow = about.slow(faults_until, about.over()) / 1000;
  bounds by(about, faults_until);
  moment latest = by.usual();
  const auto waited = (drained.front()->at - faults_until) / 1000;
  for (const auto& [id, story] : about.stories()) {
    if (story.row == nullptr) continue;
    if (story.deleted != nullptr) continue;
    const auto own = by.of(story);
    const bool had_its_time = slow == 0 || waited > own;
    if (!terminal(story.row->status) && had_its_time) {
      into.push_back(
          {"I11", story.row->name, "it is " + story.row->status + " at the end", lines_of(story)});
    }
    if (story.transitions.empty() || story.transitions.back()->at <= faults_until) continue;
    latest = std::max(latest, own);
    if ((story.transitions.back()->at - faults_until) / 1000 > own) {
      into.push_back({"I11", story.row->name, ended_late(own), lines_of(story)});
    }
  }
  if (waited > latest) {
    into.push_back({"I11", "-", ended_late(latest), {drained.front()->text}});
  }
}

void check_processes(const evidence& about, violations& into) {
  for (const auto* each : about.events("start")) {
    if (about.event_about("exit", each->word(0)) == nullptr) {
      into.push_back({"I12", "-", each->word(0) + " never ended", {each->text}});
    }
  }
  for (const auto* each : about.events("stop")) {
    const auto& worker = each->word(0);
    // It had crashed, and nobody had noticed yet.
    if (about.death(worker) <= each->at) continue;
    if (about.event_about("cont", worker, each->at) == nullptr &&
        about.event_about("kill", worker, each->at) == nullptr) {
      into.push_back({"I12", "-", worker + " was stopped and never went on", {each->text}});
    }
  }
  const std::unordered_set<std::string> started(about.all().started.begin(),
                                                about.all().started.end());
  std::unordered_set<std::string> crashes;  // "worker exit code"
  for (const auto& run : about.all().executions) {
    if (run.event != "crash") continue;
    crashes.insert(run.worker + " " + std::to_string(128 + std::stoi(run.detail)));
  }
  for (const auto* each : about.events("exit")) {
    const auto& worker = each->word(0);
    const int code = std::stoi(each->word(1));
    const auto* term = about.event_about("term", worker);
    if (about.event_about("start", worker) == nullptr) {
      into.push_back({"I12", "-", worker + " ended and never began", {each->text}});
    }
    const bool crashed = crashes.contains(worker + " " + std::to_string(code));
    const bool ran = started.contains(worker);
    const bool killed = code == 137 && about.event_about("kill", worker) != nullptr;
    // It was asked to stop before it listened to that.
    const bool stopped_before = code == 143 && !ran && term != nullptr;
    const bool could_not_start = (code == 1 && !ran) || stopped_before;
    const bool told = code == 0 && term != nullptr;
    if (!killed && !crashed && !could_not_start && !told) {
      into.push_back({"I12", "-", worker + " ended with " + std::to_string(code), {each->text}});
    }
    const auto slow = term == nullptr ? 0 : about.slow(term->at, each->at);
    const auto limit = about.setting("grace_ms") * 1000 + grace_slack + slow;
    if (told && each->at - about.running_from(worker, term->at) > limit) {
      into.push_back({"I12",
                      "-",
                      worker + " took longer than its grace period to end",
                      {term->text, each->text}});
    }
  }
  for (const auto* each : about.events("size")) {
    if (std::stoll(each->word(1)) > most_memory_kb || std::stoll(each->word(2)) > most_files) {
      into.push_back({"I12", "-", each->word(0) + " has grown", {each->text}});
    }
  }
  for (const auto& each : about.all().leaks) {
    into.push_back({"I12", "-", "a secret stands in " + each, {}});
  }
}

}  // namespace rowrunner::chaos
