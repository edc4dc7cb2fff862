#pragma once

// For the tests of the checker: a run that is sound, line by line, to be changed a little.

#include <algorithm>
#include <string>
#include <vector>

#include "chaos/checker/checker.hpp"

namespace rowrunner::chaos {

/// The lines of a run, by the file in which they stand.
struct run_lines {
  std::vector<std::string> history, proxy, outside, log, database;

  run_record read() const {
    run_record all;
    for (const auto& each : history) read_history_line(each, all);
    for (const auto& each : proxy) read_proxy_line(each, all);
    for (const auto& each : outside) read_outside_line(each, all);
    for (const auto& each : log) read_worker_log_line(each, all);
    for (const auto& each : database) read_database_line(each, all);
    return all;
  }
};

inline std::string id(int n) { return "00000000-0000-7000-8000-00000000000" + std::to_string(n); }

inline std::string tabs(const std::vector<std::string>& fields) {
  std::string text;
  for (const auto& each : fields) text += (text.empty() ? "" : "\t") + each;
  return text;
}

/// Seconds into the run.
inline std::string at(int seconds) { return std::to_string((1'000 + seconds) * 1'000'000LL); }

inline std::string fenced_write(int job, int lease) {
  return R"({"message":"fenced: the lease of the job is lost","worker":"w1.1","job":")" + id(job) +
         R"(","lease":)" + std::to_string(lease) + "}";
}

class run_builder {
 public:
  run_lines lines;

  void note(int when, const std::string& text) { lines.history.push_back(at(when) + " " + text); }

  void enqueued(int n) {
    const auto name = "job-" + std::to_string(n);
    note(0, "enqueuer enqueue chaos " + name);
    note(0, "enqueuer enqueued chaos " + name + " " + id(n));
  }
  void ran(int when, const std::string& worker, const std::string& event, int n, int attempt,
           int lease, const std::string& detail = {}) {
    note(when, worker + " " + event + " job-" + std::to_string(n) + " " + std::to_string(attempt) +
                   " " + std::to_string(lease) + (detail.empty() ? "" : " " + detail));
  }
  /// A transition and, if it leaves processing for good or ill, what it charges.
  void moved(int when, int n, const std::string& before, const std::string& after,
             const std::string& old_lease, const std::string& new_lease, int old_attempts,
             int new_attempts, const std::string& worker, const std::string& error = {}) {
    const auto number = std::to_string(++transitions_);
    lines.database.push_back(tabs(
        {"transition", number, "9" + number, at(when), "chaos", id(n), before, after, old_lease,
         new_lease, std::to_string(old_attempts), std::to_string(new_attempts), worker, error}));
    if (new_attempts > old_attempts) lines.database.push_back(tabs({"charge", id(n)}));
  }
  /// For a line that is written by hand.
  int next_number() { return ++transitions_; }
  std::string last_txid() const { return "9" + std::to_string(transitions_); }
  void claimed(int when, int n, int lease, int attempts, const std::string& worker) {
    moved(when, n, "queued", "processing", "", std::to_string(lease), attempts, attempts, worker);
  }
  void succeeded(int when, int n, int lease, int attempts, const std::string& worker, bool effect) {
    const auto number = std::to_string(lease);
    moved(when, n, "processing", "succeeded", number, number, attempts, attempts, worker);
    if (effect) lines.database.push_back(tabs({"effect", id(n), number, last_txid()}));
  }
  void job(int n, const std::string& status, int attempts, int most) {
    lines.database.push_back(tabs({"job", id(n), "chaos", "job-" + std::to_string(n), status,
                                   std::to_string(attempts), std::to_string(most), "", "0"}));
  }
  /// A step that was stored now, under the lease that the job had, and what it wrote besides.
  void step(int when, int n, const std::string& name, int written, const std::string& held,
            bool effect) {
    const auto txid = "8" + std::to_string(++steps_);
    lines.database.push_back(
        tabs({"step", id(n), name, std::to_string(written), held, txid, at(when)}));
    if (effect) {
      lines.database.push_back(tabs({"page", id(n), name, std::to_string(written), txid}));
    }
  }
  /// Something that happened to a child which waits; in the transaction of the last note, if so.
  void waits(int when, const std::string& what, int child, const std::string& parent = {},
             const std::string& policy = {}, const std::string& at_latest = {}) {
    const auto number = std::to_string(++transitions_);
    if (what == "wait" || what == "edge" || what == "unwait") waiting_txid_ = "9" + number;
    lines.database.push_back(tabs({"join", number, waiting_txid_, at(when), what, id(child), parent,
                                   policy, at_latest, what == "freed" ? "1:99999:" : ""}));
  }

 private:
  int transitions_ = 0;
  int steps_ = 0;
  std::string waiting_txid_;
};

/// Six jobs, two workers, one of which is stopped past its lease. In it all the dangerous states
/// are reached.
inline run_builder sound_run() {
  run_builder b;
  b.note(0, "runner settings 7 seconds 30 lease_ms 10000 grace_ms 8000 bound_ms 23000");
  b.note(0, "runner start w0.1 100");
  b.note(0, "runner start w1.1 101");
  for (const auto* worker : {"w0.1", "w1.1"}) {
    b.lines.log.push_back(std::string(R"({"message":"worker started","worker":")") + worker +
                          "\"}");
  }
  for (const int n : {1, 2, 3, 4, 5, 7}) b.enqueued(n);
  b.note(0, "enqueuer enqueue chaos job-1");
  b.note(0, "enqueuer existed chaos job-1");
  b.note(0, "enqueuer enqueue chaos job-9");
  b.note(0, "enqueuer unknown chaos job-9 connection lost");

  // 1 succeeds; the answer to its commit is lost.
  b.claimed(1, 1, 11, 0, "w0.1");
  b.ran(1, "w0.1", "begin", 1, 1, 11);
  b.ran(2, "w0.1", "end", 1, 1, 11, "effect");
  b.succeeded(2, 1, 11, 0, "w0.1", true);
  b.lines.proxy.push_back(at(3) + " w0 cut to-client commit Z [succeed/chaos {" + id(1) +
                          "} {11}]");
  b.job(1, "succeeded", 0, 4);

  // 2 fails as often as it may.
  for (const int attempt : {1, 2}) {
    const int lease = 20 + attempt;
    const auto number = std::to_string(lease);
    b.claimed(2 * attempt, 2, lease, attempt - 1, "w0.1");
    b.ran(2 * attempt, "w0.1", "begin", 2, attempt, lease);
    b.ran(2 * attempt, "w0.1", "end", 2, attempt, lease, "fail");
    b.moved(2 * attempt + 1, 2, "processing", attempt == 1 ? "queued" : "failed", number, "",
            attempt - 1, attempt, "w0.1", "seeded failure under lease " + number);
  }
  b.job(2, "failed", 2, 2);

  // 3 and 4 belong to a worker that is stopped past its lease; what it writes later is refused.
  b.note(1, "runner stop w1.1");
  for (const int n : {3, 4}) {
    const int lost = 10 * n, next = lost + 1;
    b.claimed(1, n, lost, 0, "w1.1");
    b.ran(1, "w1.1", "begin", n, 1, lost);
    if (n == 3) {
      // 7 waits for both; the transaction that says so is open until they have ended.
      b.note(1, "runner join job-7 run 0 job-3 job-4");
      b.waits(1, "wait", 7, "", "run");
      b.waits(1, "held", 7);
      b.waits(2, "edge", 7, id(3));
    }
    b.moved(12, n, "processing", "queued", std::to_string(lost), "", 0, 1, "w1.1",
            "worker w1.1 was lost");
    b.claimed(13, n, next, 1, "w0.1");
    b.ran(13, "w0.1", "begin", n, 2, next);
    if (n == 4) b.waits(14, "edge", 7, id(4));
    b.ran(14, "w1.1", "end", n, 1, lost, n == 3 ? "effect" : "fail");
    b.lines.log.push_back(fenced_write(n, lost));
    b.ran(15, "w0.1", "end", n, 2, next, "ok");
    b.succeeded(15, n, next, 1, "w0.1", false);
    b.job(n, "succeeded", 1, 4);
  }
  b.note(14, "runner cont w1.1");
  b.note(16, "runner joined job-7 2");
  b.waits(16, "unwait", 7);
  b.waits(16, "freed", 7);
  b.claimed(17, 7, 71, 0, "w0.1");
  b.ran(17, "w0.1", "begin", 7, 1, 71);
  b.ran(18, "w0.1", "end", 7, 1, 71, "ok");
  b.succeeded(18, 7, 71, 0, "w0.1", false);
  b.job(7, "succeeded", 0, 4);

  // 5 gives itself back once, then succeeds in two steps; the answer to the second one is lost, and
  // the commit of the end never arrived at first.
  b.claimed(2, 5, 51, 0, "w0.1");
  b.ran(2, "w0.1", "begin", 5, 1, 51);
  b.ran(2, "w0.1", "end", 5, 1, 51, "snooze");
  b.moved(2, 5, "processing", "queued", "51", "", 0, 0, "w0.1");
  b.claimed(4, 5, 52, 0, "w0.1");
  b.ran(4, "w0.1", "begin", 5, 1, 52);
  b.ran(4, "w0.1", "body", 5, 1, 52, "call");
  b.ran(4, "w0.1", "call", 5, 1, 52, "chaos:5:call");
  b.ran(4, "w0.1", "stored", 5, 1, 52, "call");
  b.step(4, 5, "call", 52, "52", false);
  b.ran(4, "w0.1", "body", 5, 1, 52, "build");
  b.step(4, 5, "build", 52, "52", true);
  b.lines.proxy.push_back(at(4) + " w0 cut to-client commit C [store_steps/chaos 1 {" + id(5) +
                          "} {52} {build}; commit]");
  b.ran(5, "w0.1", "stored", 5, 1, 52, "build");
  b.ran(5, "w0.1", "told", 5, 1, 52, "2");
  b.lines.database.push_back(tabs({"progress", id(5), "2", "lease 52"}));
  b.ran(5, "w0.1", "end", 5, 1, 52, "effect");
  b.lines.proxy.push_back(at(5) + " w0 cut to-server commit E [succeed/chaos {" + id(5) +
                          "} {52}]");
  b.succeeded(6, 5, 52, 0, "w0.1", true);
  b.job(5, "succeeded", 0, 4);

  b.note(7, "watcher snapshot");
  b.note(20, "runner healed");
  b.note(20, "runner drained 0");
  for (const auto* worker : {"w0.1", "w1.1"}) {
    b.note(21, std::string("runner term ") + worker);
    b.note(22, std::string("runner exit ") + worker + " 0");
  }
  return b;
}

inline std::string first_complaint(const run_lines& lines) {
  const auto verdict = check(lines.read());
  if (verdict.violations.empty()) return "";
  const auto& first = verdict.violations.front();
  return first.invariant + " " + first.job + ": " + first.what;
}

inline bool complains(const run_lines& lines, const std::string& what) {
  const auto found = check(lines.read()).violations;
  return std::any_of(found.begin(), found.end(),
                     [&](const violation& each) { return each.what == what; });
}

}  // namespace rowrunner::chaos
