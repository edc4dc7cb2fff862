#include "chaos/checker/evidence.hpp"

#include <algorithm>
#include <limits>

namespace rowrunner::chaos {
namespace {

constexpr moment never = std::numeric_limits<moment>::max();

/// After the database was away, a worker comes back within its longest pause between two attempts.
constexpr moment comes_back_within = 5'000'000;

/// How long the machine was too slow, by a line that says so at the end of that time.
moment slow_time(const runner_line& said) { return std::stoll(said.word(0)) * 1000; }

}  // namespace

const execution_line* job_story::find(std::int64_t lease, const std::string& event) const {
  const auto found = std::find_if(executions.begin(), executions.end(), [&](const auto* each) {
    return each->lease == lease && each->event == event;
  });
  return found == executions.end() ? nullptr : *found;
}

const transition* job_story::claim_of(std::int64_t lease) const {
  const auto found = std::find_if(transitions.begin(), transitions.end(), [&](const auto* each) {
    return each->claims() && each->new_lease == lease;
  });
  return found == transitions.end() ? nullptr : *found;
}

const transition* job_story::end_of(std::int64_t lease) const {
  const auto found = std::find_if(transitions.begin(), transitions.end(), [&](const auto* each) {
    return each->leaves_processing() && each->old_lease == lease;
  });
  return found == transitions.end() ? nullptr : *found;
}

const join_row* job_story::edge_from(const std::string& parent_id, std::int64_t txid) const {
  const auto found = std::find_if(joins.begin(), joins.end(), [&](const auto* each) {
    return each->what == "edge" && each->parent_id == parent_id && each->txid == txid;
  });
  return found == joins.end() ? nullptr : *found;
}

std::string slot_of(const std::string& worker) { return worker.substr(0, worker.find('.')); }

evidence::evidence(const run_record& all) : all_(all) {
  index_jobs();
  index_steps_and_joins();
  index_events();
  index_impairments();
  lease_ = setting("lease_ms") * 1000;
}

void evidence::index_jobs() {
  for (const auto& job : all_.jobs) {
    stories_[job.id].row = &job;
    id_of_name_[job.name] = job.id;
  }
  for (const auto& t : all_.transitions) {
    stories_[t.job_id].transitions.push_back(&t);
    over_ = std::max(over_, t.at);
  }
  for (auto& [id, story] : stories_) {
    std::sort(story.transitions.begin(), story.transitions.end(),
              [](const auto* a, const auto* b) { return a->n < b->n; });
  }
  for (const auto& each : all_.executions) {
    over_ = std::max(over_, each.at);
    // A job that ran and is not there is found by its name, under an id that no row has.
    const auto found = id_of_name_.find(each.job);
    stories_[found == id_of_name_.end() ? each.job : found->second].executions.push_back(&each);
  }
  for (const auto& each : all_.effects) stories_[each.job_id].effects.push_back(&each);
  for (const auto& each : all_.charges) ++stories_[each.job_id].charges;
}

void evidence::index_steps_and_joins() {
  for (const auto& each : all_.steps) {
    steps_.emplace(each.job_id, each.written);
    stories_[each.job_id].steps.push_back(&each);
  }
  for (const auto& each : all_.pages) stories_[each.job_id].pages.push_back(&each);
  for (const auto& each : all_.progress) stories_[each.job_id].progress = &each;
  for (const auto& each : all_.deleted) stories_[each.job_id].deleted = &each;
  for (const auto& each : all_.joins) stories_[each.child_id].joins.push_back(&each);
  for (auto& [id, story] : stories_) {
    std::sort(story.joins.begin(), story.joins.end(),
              [](const auto* a, const auto* b) { return a->n < b->n; });
  }
}

void evidence::index_events() {
  for (const auto& each : all_.runner) {
    events_[each.event].push_back(&each);
    events_about_[each.event + " " + each.word(0)].push_back(&each);
  }
}

void evidence::index_impairments() {
  for (const auto& each : all_.runner) over_ = std::max(over_, each.at);
  const auto died = [&](const std::string& worker, moment at) {
    auto& known = deaths_.try_emplace(worker, never).first->second;
    known = std::min(known, at);
  };
  for (const auto& each : all_.executions) {
    if (each.event == "crash") died(each.worker, each.at);
    if (each.event == "stopped") stops_by_[each.worker].push_back(each.at);
  }
  for (const auto& each : all_.runner) {
    const auto& whom = each.word(0);
    if (each.event == "kill" || each.event == "exit") died(whom, each.at);
    if (each.event == "stop") stops_[whom].push_back({each.at, never});
    if (each.event == "cont" && !stops_[whom].empty()) stops_[whom].back().end = each.at;
    // Seen when it is over, and for all.
    if (each.event == "slow") impairments_["all"].push_back({each.at - slow_time(each), each.at});
    if (each.event == "impair") impairments_[whom].push_back({each.at, never});
    if (each.event == "recover") {
      // The last one that is still open; several may overlap.
      auto& list = impairments_[whom];
      const auto open = std::find_if(list.rbegin(), list.rend(),
                                     [](const auto& one) { return one.end == never; });
      if (open != list.rend()) open->end = each.at + (whom == "all" ? comes_back_within : 0);
    }
  }
}

const job_story* evidence::story_of(const std::string& job_id) const {
  const auto found = stories_.find(job_id);
  return found == stories_.end() ? nullptr : &found->second;
}

const job_story* evidence::story_named(const std::string& name) const {
  const auto found = id_of_name_.find(name);
  return found == id_of_name_.end() ? nullptr : story_of(found->second);
}

moment evidence::setting(const std::string& name) const {
  for (const auto* each : events("settings")) {
    const auto at = std::find(each->words.begin(), each->words.end(), name);
    if (at != each->words.end() && at + 1 != each->words.end()) return std::stoll(*(at + 1));
  }
  return 0;
}

const std::vector<const runner_line*>& evidence::events(const std::string& event) const {
  static const std::vector<const runner_line*> none;
  const auto found = events_.find(event);
  return found == events_.end() ? none : found->second;
}

const runner_line* evidence::event_about(const std::string& event, const std::string& whom,
                                         moment from) const {
  for (const auto* each : events_about(event, whom)) {
    if (each->at >= from) return each;
  }
  return nullptr;
}

const std::vector<const runner_line*>& evidence::events_about(const std::string& event,
                                                              const std::string& whom) const {
  static const std::vector<const runner_line*> none;
  const auto found = events_about_.find(event + " " + whom);
  return found == events_about_.end() ? none : found->second;
}

moment evidence::death(const std::string& worker) const {
  const auto found = deaths_.find(worker);
  return found == deaths_.end() ? never : found->second;
}

moment evidence::running_from(const std::string& worker, moment at) const {
  const auto found = stops_.find(worker);
  if (found == stops_.end()) return at;
  for (const auto& [begin, end] : found->second) {
    if (begin <= at && at < end) at = end;
  }
  return at;
}

moment evidence::impaired(const std::string& worker, moment from, moment until) const {
  std::vector<impairment> spans{{death(worker), never}};
  const auto add = [&](const auto& index, const std::string& whom) {
    const auto found = index.find(whom);
    if (found != index.end()) {
      spans.insert(spans.end(), found->second.begin(), found->second.end());
    }
  };
  add(stops_, worker);
  add(impairments_, slot_of(worker));
  add(impairments_, "all");
  std::sort(spans.begin(), spans.end(),
            [](const auto& a, const auto& b) { return a.begin < b.begin; });
  moment sum = 0;
  for (const auto& span : spans) {
    const auto begin = std::max(span.begin, from);
    const auto end = std::min(span.end, until);
    if (begin >= end) continue;
    sum += end - begin;
    from = end;
  }
  return sum;
}

moment evidence::slow(moment from, moment until) const {
  moment sum = 0;
  for (const auto* each : events("slow")) {
    const auto begin = std::max(each->at - slow_time(*each), from);
    sum += std::max<moment>(0, std::min(each->at, until) - begin);
  }
  return sum;
}

template <typename Lost>
moment evidence::put_off_by(moment until, const Lost& lost_before) const {
  for (moment end = until;;) {
    const auto later = until + lost_before(end);
    if (later == end || later > over_) return later;
    end = later;
  }
}

moment evidence::put_off(const std::string& worker, moment from, moment until) const {
  return put_off_by(until,
                    [&](moment end) { return slow(from, end) + stopped(worker, from, end); });
}

moment evidence::put_off_by_impairments(const std::string& worker, moment from,
                                        moment until) const {
  return put_off_by(until, [&](moment end) { return impaired(worker, from, end); });
}

moment evidence::stopped(const std::string& worker, moment from, moment until) const {
  const auto found = stops_.find(worker);
  if (found == stops_.end()) return 0;
  moment sum = 0;
  for (const auto& each : found->second) {
    sum += std::max<moment>(0, std::min(each.end, until) - std::max(each.begin, from));
  }
  return sum;
}

bool evidence::kept_up() const {
  const auto& all = events("slow");
  return std::none_of(all.begin(), all.end(), [&](const auto* each) {
    return slow(each->at - lease_, each->at) * 2 >= lease_;
  });
}

bool evidence::crashed(moment from, moment until) const {
  const auto& crashes = events("crash");
  return std::any_of(crashes.begin(), crashes.end(),
                     [&](const auto* each) { return each->at >= from && each->at <= until; });
}

bool evidence::clock_jumped(moment from, moment until) const {
  // One at a time, so each ends with the next line that says so.
  const auto& jumps = events("jump");
  return std::any_of(jumps.begin(), jumps.end(), [&](const auto* each) {
    const auto& ends = events("jumped");
    const auto end = std::find_if(ends.begin(), ends.end(),
                                  [&](const auto* one) { return one->at >= each->at; });
    return each->at <= until && (end == ends.end() || (*end)->at >= from);
  });
}

const std::vector<moment>& evidence::stops_by(const std::string& worker) const {
  static const std::vector<moment> none;
  const auto found = stops_by_.find(worker);
  return found == stops_by_.end() ? none : found->second;
}

}  // namespace rowrunner::chaos
