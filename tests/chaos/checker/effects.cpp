// I6: an effect in PostgreSQL happens exactly once per job; an outside call at least once, under a
// stable key; a step that was stored is not run again.

#include <map>
#include <set>
#include <tuple>

#include "chaos/checker/checker.hpp"

namespace rowrunner::chaos {
namespace {

void check_rows(const job_story& story, violations& into) {
  const transition* success = nullptr;
  for (const auto* t : story.transitions) {
    if (t->leaves_processing() && t->after == "succeeded") success = t;
  }
  std::size_t wanted = 0;
  if (success != nullptr) {
    const auto* end = story.find(*success->old_lease, "end");
    wanted = end != nullptr && end->detail == "effect" ? 1 : 0;
  }
  if (story.effects.size() != wanted) {
    into.push_back(
        {"I6", story.row->name,
         std::to_string(story.effects.size()) + " effects instead of " + std::to_string(wanted),
         lines_of(story)});
    return;
  }
  for (const auto* each : story.effects) {
    if (each->lease != success->old_lease || each->txid != success->txid) {
      into.push_back({"I6", story.row->name,
                      "its effect came with another lease or transaction than its success",
                      lines_of(story)});
    }
  }
}

/// A call that was begun was made, and a run that ended with its effect has stored its steps.
bool whole(const job_story& story, const execution_line& body) {
  const bool called = body.detail != "call" || story.find(body.lease, "call") != nullptr;
  const auto* end = story.find(body.lease, "end");
  if (end == nullptr || end->detail != "effect") return called;
  for (const auto* each : story.executions) {
    const bool same = each->lease == body.lease && each->detail == body.detail;
    if (same && each->event == "stored") return called;
  }
  return false;
}

void check_steps(const job_story& story, violations& into) {
  std::map<std::string, moment> stored;
  for (const auto* each : story.executions) {
    if (each->event == "stored") stored.emplace(each->detail, each->at);
  }
  std::set<std::string> bodies;
  for (const auto* each : story.executions) {
    if (each->event == "body" && !whole(story, *each)) {
      into.push_back({"I6", story.row->name,
                      "the record of its step " + each->detail + " is not whole", lines_of(story)});
    }
    if (each->event == "stored" && !bodies.contains(each->detail)) {
      into.push_back({"I6", story.row->name, "step " + each->detail + " was stored and never run",
                      lines_of(story)});
    }
    if (each->event != "body") continue;
    bodies.insert(each->detail);
    const auto done = stored.find(each->detail);
    const auto* begin = story.find(each->lease, "begin");
    if (done != stored.end() && begin != nullptr && begin->at > done->second) {
      into.push_back({"I6", story.row->name,
                      "step " + each->detail + " was run again after it had been stored",
                      lines_of(story)});
    }
  }
}

/// What a handler was told is stored, and had not been before, is there.
void check_stored(const evidence& about, violations& into) {
  std::set<std::tuple<std::string, std::string, std::int64_t>> rows;
  for (const auto& each : about.all().steps) rows.emplace(each.job_id, each.step, each.written);
  for (const auto& [id, story] : about.stories()) {
    std::set<std::pair<std::string, std::int64_t>> made;
    for (const auto* each : story.executions) {
      if (each->event == "body") made.emplace(each->detail, each->lease);
      if (each->event != "stored" || !made.contains({each->detail, each->lease})) continue;
      if (rows.contains({id, each->detail, each->lease})) continue;
      into.push_back({"I6", each->job,
                      "its step " + each->detail + " was stored under lease " +
                          std::to_string(each->lease) + " and is not there",
                      lines_of(story)});
    }
  }
}

void check_keys(const evidence& about, violations& into) {
  std::map<std::string, std::string> owner;
  std::map<std::string, std::string> key_of;
  const auto called = [&](const std::string& key, const std::string& job, const std::string& text) {
    if (owner.try_emplace(key, job).first->second != job) {
      into.push_back({"I6", job, "two jobs called under the key " + key, {text}});
    }
    if (key_of.try_emplace(job, key).first->second != key) {
      into.push_back({"I6", job, "it called under two keys", {key_of[job], text}});
    }
  };
  for (const auto& each : about.all().executions) {
    if (each.event == "call") called(each.detail, each.job, each.text);
  }
}

/// The keys of the image server name the job: spot_image:ID:generate.
void check_pictures_paid(const evidence& about, violations& into) {
  std::set<std::string> delivered;
  for (const auto& each : about.all().outside) {
    const auto first = each.key.find(':');
    const auto last = each.key.rfind(':');
    const auto id = first < last ? each.key.substr(first + 1, last - first - 1) : each.key;
    if (about.story_of(id) == nullptr) {
      into.push_back({"I6", each.key, "a call outside under a key of no job", {each.text}});
    }
    if (each.answer == "picture") delivered.insert(id);
  }
  for (const auto& [id, story] : about.stories()) {
    if (story.row == nullptr || story.row->kind != "spot_image") continue;
    if (story.row->status == "succeeded" && !delivered.contains(id)) {
      into.push_back(
          {"I6", story.row->name, "it succeeded without its call outside", lines_of(story)});
    }
  }
}

}  // namespace

void check_effects(const evidence& about, violations& into) {
  for (const auto& [id, story] : about.stories()) {
    if (story.row == nullptr || story.row->kind == "spot_image") continue;
    check_rows(story, into);
    check_steps(story, into);
  }
  check_stored(about, into);
  check_keys(about, into);
  check_pictures_paid(about, into);
}

}  // namespace rowrunner::chaos
