#include "health/worker_metrics.hpp"

namespace rowrunner {
namespace {

struct outcome_name {
  const char* name;
  std::int64_t worker_counts::*count;
};

constexpr outcome_name outcomes[] = {
    {"succeeded", &worker_counts::succeeded}, {"failed", &worker_counts::failed},
    {"retried", &worker_counts::retried},     {"released", &worker_counts::released},
    {"cancelled", &worker_counts::cancelled},
};

struct count_name {
  const char* name;
  const char* help;
  std::int64_t worker_counts::*count;
};

constexpr count_name counts[] = {
    {"rowrunner_claimed_jobs_total", "Jobs that this worker took from the queue.",
     &worker_counts::claimed},
    {"rowrunner_rescued_jobs_total", "Jobs that this worker took back from lost ones.",
     &worker_counts::rescued},
    {"rowrunner_refused_writes_total",
     "Stale writes: they came after the lease of the job was lost, and changed nothing.",
     &worker_counts::refused},
};

struct histogram_name {
  const char* name;
  const char* help;
  histogram kind_times::*values;
};

constexpr histogram_name histograms[] = {
    {"rowrunner_job_wait_seconds", "From when a job was due to its start.",
     &kind_times::wait_seconds},
    {"rowrunner_job_run_seconds", "How long a handler ran.", &kind_times::run_seconds},
    {"rowrunner_claim_seconds", "How long a claim took, waiting for its turn included.",
     &kind_times::claim_seconds},
    {"rowrunner_claim_jobs", "How many jobs a claim brought that found any.",
     &kind_times::claim_jobs},
};

exposition::labels label(const kind_measures& of) { return {{"kind", of.kind}}; }

void add_counts(exposition& out, const std::vector<kind_measures>& kinds) {
  out.counter("rowrunner_jobs_total", "What became of the jobs that this worker ran.");
  for (const auto& kind : kinds) {
    for (const auto& each : outcomes) {
      out.sample({{"kind", kind.kind}, {"outcome", each.name}},
                 static_cast<double>(kind.counts.*each.count));
    }
  }
  for (const auto& each : counts) {
    out.counter(each.name, each.help);
    for (const auto& kind : kinds) {
      out.sample(label(kind), static_cast<double>(kind.counts.*each.count));
    }
  }
}

void add_slots(exposition& out, const std::vector<kind_measures>& kinds) {
  out.gauge("rowrunner_slots", "Jobs of the kind that this worker runs at the same time at most.");
  for (const auto& kind : kinds) out.sample(label(kind), kind.slots);
  out.gauge("rowrunner_slots_in_use", "Jobs of the kind that this worker runs now.");
  for (const auto& kind : kinds) out.sample(label(kind), kind.running);
}

}  // namespace

void add_metrics(exposition& out, const worker_measures& of) {
  add_counts(out, of.kinds);
  add_slots(out, of.kinds);
  for (const auto& each : histograms) {
    out.histogram(each.name, each.help);
    for (const auto& kind : of.kinds) out.sample(label(kind), kind.times.*each.values);
  }
  out.histogram("rowrunner_finish_seconds", "How long writing a batch of ends took.");
  out.sample({}, of.finishes.seconds);
  out.histogram("rowrunner_finish_jobs", "How many jobs were ended in one transaction.");
  out.sample({}, of.finishes.jobs);
  out.counter("rowrunner_reconnects_total",
              "Database connections that this process opened in place of one that was lost.");
  out.sample({}, static_cast<double>(of.reconnects));
}

}  // namespace rowrunner
