#include "admin/metrics.hpp"

#include <algorithm>

namespace rowrunner::admin {
namespace {

struct gauge {
  const char* name;
  const char* help;
  double (*value)(const kind_stats&);
  /// Not known while the table is locked.
  bool from_job_table = false;
};

double counted(std::int64_t n) { return static_cast<double>(kind_stats::limited(n)); }

const gauge gauges[] = {
    {"rowrunner_waiting_jobs", "Jobs in the queue, counted up to 100000; exact up to 10000.",
     [](const kind_stats& k) { return counted(k.waiting); }},
    {"rowrunner_oldest_waiting_seconds", "For how long the job that waits longest has been due.",
     [](const kind_stats& k) { return k.oldest_waiting_seconds.value_or(0); }, true},
    {"rowrunner_delayed_jobs", "Jobs whose time has not come, counted up to 100000.",
     [](const kind_stats& k) { return counted(k.delayed); }},
    {"rowrunner_held_jobs", "Jobs that wait for others, counted up to 100000.",
     [](const kind_stats& k) { return counted(k.held); }},
    {"rowrunner_running_jobs", "Jobs that workers hold.",
     [](const kind_stats& k) { return static_cast<double>(k.running); }},
    {"rowrunner_failed_jobs", "The dead letter list, counted up to 100000.",
     [](const kind_stats& k) { return counted(k.failed); }},
    {"rowrunner_unclaimable_jobs",
     "Queued jobs that claims pass over, as their rows cannot be written; counted up to 100000.",
     [](const kind_stats& k) { return counted(k.unclaimable); }},
    {"rowrunner_workers", "Workers seen in the last 30 seconds.",
     [](const kind_stats& k) { return static_cast<double>(k.workers.live); }},
    {"rowrunner_failing_workers", "Those of them that can claim nothing of the kind.",
     [](const kind_stats& k) { return static_cast<double>(k.workers.failing); }},
    {"rowrunner_paused", "1 if nothing of the kind is claimed.",
     [](const kind_stats& k) { return k.paused ? 1.0 : 0.0; }},
    {"rowrunner_table_locked", "1 if a session locks the whole job table.",
     [](const kind_stats& k) { return k.locked_by ? 1.0 : 0.0; }},
};

void add_kinds(exposition& out, const std::vector<kind_stats>& kinds) {
  for (const auto& each : gauges) {
    out.gauge(each.name, each.help);
    for (const auto& kind : kinds) {
      if (kind.locked_by && each.from_job_table) continue;
      out.sample({{"kind", kind.kind}}, each.value(kind));
    }
  }
  out.gauge("rowrunner_last_hour_jobs", "What became of jobs in the last 60 minutes.");
  for (const auto& kind : kinds) {
    for (const auto& event : event_names) {
      out.sample({{"kind", kind.kind}, {"event", event.name}},
                 static_cast<double>(kind.last_hour.*event.count));
    }
  }
}

void add_vacuum_blockers(exposition& out, const std::vector<vacuum_blocker>& holders,
                         std::chrono::milliseconds alarm) {
  const auto longest = longest_held(holders);
  out.gauge("rowrunner_horizon_held_seconds", "Age of the oldest snapshot that blocks VACUUM.");
  out.sample({}, longest.seconds);
  out.gauge("rowrunner_horizon_transactions", "Transactions begun since the oldest snapshot.");
  out.sample({}, static_cast<double>(longest.transactions));
  const auto too_long = std::count_if(holders.begin(), holders.end(), [&](const auto& holder) {
    return holds_too_long(holder, alarm);
  });
  out.gauge("rowrunner_vacuum_blockers",
            "Sessions, slots and standbys that have blocked VACUUM for too long.");
  out.sample({}, static_cast<double>(too_long));
  out.gauge("rowrunner_horizon_held_by",
            "Sessions that have blocked VACUUM for too long, and what to do.");
  for (const auto& holder : holders) {
    if (!holds_too_long(holder, alarm)) continue;
    out.sample({{"what", holder.what},
                {"name", holder.name},
                {"application", holder.application},
                {"user", holder.user},
                {"state", holder.state},
                {"since", holder.since},
                {"advice", advice_for(holder)}},
               1);
  }
}

}  // namespace

void add_metrics(exposition& out, const database_stats& stats, std::chrono::milliseconds alarm) {
  add_kinds(out, stats.kinds);
  add_vacuum_blockers(out, stats.vacuum_blockers, alarm);
}

}  // namespace rowrunner::admin
