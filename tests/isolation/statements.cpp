#include "isolation/statements.hpp"

#include <algorithm>
#include <limits>

#include "common/schema/kind_info.hpp"
#include "queries/admin.hpp"
#include "queries/engine.hpp"
#include "worker/queue_cursor.hpp"

namespace rowrunner::testing {

namespace {

const query* const all[] = {
    &queries::abandon,          &queries::cancel,       &queries::claim,
    &queries::claim_free,       &queries::claimed_jobs, &queries::end_cancelled,
    &queries::end_leases,       &queries::fail,         &queries::fire_joins,
    &queries::release,          &queries::heartbeat,    &queries::heartbeat_at_end,
    &queries::note_missed_ends, &queries::progress,     &queries::progress_at_end,
    &queries::requeue,          &queries::rescue,       &queries::store_steps,
    &queries::succeed};

const query* find(const std::string& name) {
  const auto found =
      std::find_if(std::begin(all), std::end(all), [&](const query* q) { return q->name == name; });
  return found == std::end(all) ? nullptr : *found;
}

std::string list(const std::string& item) { return "{" + item + "}"; }
/// Leases with odd numbers are one worker's, those with even numbers another one's.
std::string owner(int lease) { return lease % 2 == 1 ? "one" : "two"; }

constexpr const char* hour = "3600000";
constexpr const char* id_stem = "00000000-0000-0000-0000-00000000000";

/// A worker adds the effects of those jobs for which the answer came: those that its transaction
/// has just written.
constexpr const char* effects =
    "INSERT INTO effects (name) SELECT name FROM test_jobs"
    " WHERE status = 'succeeded' AND xmin = pg_current_xact_id()::xid";

/// The same of steps: those that its transaction has just stored.
constexpr const char* step_effects =
    "INSERT INTO step_effects (job_id, step) SELECT job_id, step FROM rowrunner.steps"
    " WHERE xmin = pg_current_xact_id()::xid";

}  // namespace

bool is_statement(const std::string& name) { return find(name) != nullptr; }

std::string statement_text(const std::string& name) {
  kind_info kind;
  kind.table = "public.test_jobs";
  return kind.bind(*find(name));
}

std::string id_of_job(char name) { return id_stem + std::string(1, name); }
bool is_job_id(const std::string& text) { return text.starts_with(id_stem); }
std::string name_of_job(const std::string& id) { return id.substr(id.size() - 1); }

repertoire::repertoire(stage& on)
    : stage_(on), kind_(on.db.value("SELECT id FROM rowrunner.kinds WHERE kind = 'test'")) {}

void repertoire::enqueue(char job, int max_attempts) {
  stage_.run({"INSERT INTO test_jobs (id, name, max_attempts) VALUES ('" + id_of_job(job) + "', '" +
                  std::string(1, job) + "', " + std::to_string(max_attempts) + ")",
              {}});
}

void repertoire::done(const transaction& already) {
  for (const auto& step : already.steps) {
    for (const auto& one : step) stage_.run(one);
  }
}

transaction repertoire::claim(int lease, lease_time until, int jobs) const {
  const queue_position front;
  const command take{
      "claim",
      {kind_, std::to_string(front.priority), std::to_string(front.seq), std::to_string(jobs),
       std::to_string(lease), owner(lease), until == lease_time::ample ? hour : "-1000"}};
  return {"claim", {{{"BEGIN", {}}, take}, {{"COMMIT", {}}}}, "id"};
}

transaction repertoire::claim_free(int lease, int jobs) const {
  auto free = claim(lease, lease_time::ample, jobs);
  free.name = "claim free";
  free.steps[0][1].statement = "claim_free";
  free.steps[0].push_back({"claimed_jobs", {std::to_string(lease)}});
  return free;
}

transaction repertoire::heartbeat(int lease) const {
  const command beat{"heartbeat",
                     {list(std::to_string(lease)), owner(lease), list(kind_), list(hour)}};
  return {"heartbeat", {{{"BEGIN", {}}, beat}, {{"COMMIT", {}}}}, "lease"};
}

transaction repertoire::heartbeat_at_end(int lease) const {
  auto beat = heartbeat(lease);
  beat.name = "heartbeat at end";
  beat.steps[0][1].statement = "heartbeat_at_end";
  return beat;
}

transaction repertoire::rescue() const {
  return {"rescue", {{{"BEGIN", {}}, {"rescue", {kind_}}}, {{"COMMIT", {}}}}, "job_id"};
}

transaction repertoire::cancel(char job) const {
  const command ask{"cancel", {"test", id_of_job(job), "no", "f"}};
  return {"cancel", {{{"BEGIN", {}}, ask}, {{"COMMIT", {}}}}, "cancel"};
}

transaction repertoire::requeue(char job) const {
  const command back{"requeue", {"test", id_of_job(job)}};
  return {"requeue", {{{"BEGIN", {}}, back}, {{"COMMIT", {}}}}, "requeue"};
}

transaction repertoire::remove(char job) const {
  const command gone{"DELETE FROM test_jobs WHERE id = '" + id_of_job(job) + "' RETURNING id", {}};
  return {"delete", {{{"BEGIN", {}}, gone}, {{"COMMIT", {}}}}, "id"};
}

transaction repertoire::fire() const {
  const command missed{"note_missed_ends", {}};
  const command let_go{"fire_joins", {kind_}};
  return {"fire", {{{"BEGIN", {}}, missed, let_go}, {{"COMMIT", {}}}}, "fired"};
}

transaction repertoire::run_after(char child, char parent) const {
  const command join{"SELECT add_parent('" + id_of_job(child) + "', '" + id_of_job(parent) + "')",
                     {}};
  return {"run_after", {{{"BEGIN", {}}, join}, {{"COMMIT", {}}}}, "add_parent"};
}

transaction repertoire::cascade(char job) const {
  auto all = cancel(job);
  all.name = "cascade";
  all.steps[0][1].params[3] = "t";
  return all;
}

transaction repertoire::step(int lease, char job) const {
  const command write{"store_steps",
                      {kind_, list(id_of_job(job)), list(std::to_string(lease)), "{draw}", "{1}"}};
  return {"step", {{{"BEGIN", {}}, write}, {{step_effects, {}}, {"COMMIT", {}}}}, "answer"};
}

transaction repertoire::progress(int lease, char job) const {
  const command write{
      "progress",
      {kind_, list(id_of_job(job)), list(std::to_string(lease)), "{1}", "{2}", "{half}"}};
  return {"progress", {{{"BEGIN", {}}, write}, {{"COMMIT", {}}}}, "answer"};
}

transaction repertoire::last_progress(int lease, char job) const {
  const command write{
      "progress_at_end",
      {kind_, list(id_of_job(job)), list(std::to_string(lease)), "{2}", "{2}", "{whole}"}};
  auto whole = succeed(lease, job);
  whole.name = "succeed with progress";
  whole.steps[1].insert(whole.steps[1].begin(), write);
  return whole;
}

transaction repertoire::abandon(int lease) const {
  const command back{"abandon", {std::to_string(lease)}};
  return {"abandon", {{{"BEGIN", {}}, back}, {{"COMMIT", {}}}}, "id"};
}

transaction repertoire::ending(const std::string& name, int lease, bool last, command write,
                               const std::string& effect) {
  transaction whole{name, {}, "id"};
  if (last) {
    whole.steps.push_back({{"BEGIN", {}}, {"end_leases", {list(std::to_string(lease)), "0"}}});
    whole.steps.push_back({std::move(write)});
  } else {
    whole.steps.push_back({{"BEGIN", {}}, std::move(write)});
  }
  whole.steps.push_back({{"COMMIT", {}}});
  if (!effect.empty()) whole.steps.back().insert(whole.steps.back().begin(), {effect, {}});
  return whole;
}

transaction repertoire::succeed(int lease, char job, bool last) const {
  return ending("succeed", lease, last,
                {"succeed", {list(id_of_job(job)), list(std::to_string(lease))}}, effects);
}

transaction repertoire::fail(int lease, char job, bool last) const {
  return ending("fail", lease, last,
                {"fail",
                 {list(id_of_job(job)), list(std::to_string(lease)), "{boom}", "{0}", "{f}", "{1}",
                  "cancelled", owner(lease), kind_}});
}

transaction repertoire::release(int lease, char job, bool last) const {
  return ending(
      "release", lease, last,
      {"release", {list(id_of_job(job)), list(std::to_string(lease)), "{0}", "cancelled"}});
}

transaction repertoire::end_cancelled(int lease, char job, bool last) const {
  return ending("end cancelled", lease, last,
                {"end_cancelled",
                 {list(id_of_job(job)), list(std::to_string(lease)), "{stopped}", "cancelled"}});
}

transaction repertoire::calling(const std::string& function, const std::string& arguments) {
  const command call{"SELECT rowrunner." + function + "(" + arguments + ")", {}};
  return {"call " + function, {{{"BEGIN", {}}, call}, {{"COMMIT", {}}}}, function};
}

transaction repertoire::call_succeed(int lease, char job) const {
  auto call = calling("succeed", "'test', '" + id_of_job(job) + "', " + std::to_string(lease));
  call.steps[0].push_back({effects, {}});
  return call;
}

transaction repertoire::call_fail(int lease, char job) const {
  return calling("fail", "'test', '" + id_of_job(job) + "', " + std::to_string(lease) +
                             ", 'boom', interval '0'");
}

transaction repertoire::call_release(int lease, char job) const {
  return calling("release", "'test', '" + id_of_job(job) + "', " + std::to_string(lease));
}

transaction repertoire::call_heartbeat(int lease) const {
  return calling("heartbeat", std::to_string(lease));
}

transaction repertoire::call_add_step(int lease, char job) const {
  auto call = calling("add_step",
                      "'test', '" + id_of_job(job) + "', " + std::to_string(lease) + ", 'draw'");
  call.steps[1].insert(call.steps[1].begin(), {step_effects, {}});
  return call;
}

}  // namespace rowrunner::testing
