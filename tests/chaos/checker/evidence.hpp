#pragma once

#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "chaos/checker/run_record.hpp"

namespace rowrunner::chaos {

/// All about one job, each list in the order of time.
struct job_story {
  const job_row* row = nullptr;
  std::vector<const transition*> transitions;
  std::vector<const execution_line*> executions;
  std::vector<const effect_row*> effects;
  std::vector<const step_row*> steps;
  std::vector<const page_row*> pages;
  /// What happened to it as a child that waits for others.
  std::vector<const join_row*> joins;
  const progress_row* progress = nullptr;
  const deleted_row* deleted = nullptr;
  int charges = 0;

  const execution_line* find(std::int64_t lease, const std::string& event) const;
  const transition* claim_of(std::int64_t lease) const;
  const transition* end_of(std::int64_t lease) const;
  /// The edge that the transaction made from this parent, or null.
  const join_row* edge_from(const std::string& parent_id, std::int64_t txid) const;
};

/// A time during which something kept a worker from its work.
struct impairment {
  moment begin = 0;
  moment end = 0;
};

/// A run_record with its indexes, and what follows from it without any judgement.
class evidence {
 public:
  explicit evidence(const run_record& all);

  const run_record& all() const { return all_; }
  const std::map<std::string, job_story>& stories() const { return stories_; }
  const job_story* story_named(const std::string& name) const;
  const job_story* story_of(const std::string& job_id) const;

  /// Whether a step of the job was stored under this lease.
  bool stored_a_step(const std::string& job_id, std::int64_t lease) const {
    return steps_.contains({job_id, lease});
  }

  moment setting(const std::string& name) const;
  moment lease() const { return lease_; }
  /// When the run ended, by its last line.
  moment over() const { return over_; }
  const std::vector<const runner_line*>& events(const std::string& event) const;
  /// The first event of that name about this worker or job at or after `from`, or null.
  const runner_line* event_about(const std::string& event, const std::string& whom,
                                 moment from = 0) const;

  /// All events of that name about this worker or job.
  const std::vector<const runner_line*>& events_about(const std::string& event,
                                                      const std::string& whom) const;

  /// When a worker process ended, however; the largest moment if it did not.
  moment death(const std::string& worker) const;
  /// When a worker process that is not stopped at `at` has been so since, or comes back.
  moment running_from(const std::string& worker, moment at) const;
  /// For how long, of the time between, this worker was dead, stopped or cut off from the database.
  moment impaired(const std::string& worker, moment from, moment until) const;
  /// For how long, of the time between, the machine was too slow for anybody to work as it should.
  moment slow(moment from, moment until) const;
  /// The end of a time that begins at `from`, put off for as long as the machine was so in it, or
  /// the worker was stopped.
  moment put_off(const std::string& worker, moment from, moment until) const;
  /// The same, put off also for as long as the worker was cut off from the database.
  moment put_off_by_impairments(const std::string& worker, moment from, moment until) const;
  /// Whether it never was so for long enough to lose a lease by it.
  bool kept_up() const;
  /// Whether the server crashed in that time.
  bool crashed(moment from, moment until) const;
  /// Whether its clock jumped ahead in that time.
  bool clock_jumped(moment from, moment until) const;
  /// For how long, of the time between, the process was stopped by a signal.
  moment stopped(const std::string& worker, moment from, moment until) const;
  /// When this worker told its handlers to stop.
  const std::vector<moment>& stops_by(const std::string& worker) const;

 private:
  template <typename Lost>
  moment put_off_by(moment until, const Lost& lost_before) const;
  void index_jobs();
  void index_steps_and_joins();
  void index_events();
  void index_impairments();

  const run_record& all_;
  std::map<std::string, job_story> stories_;
  std::unordered_map<std::string, std::string> id_of_name_;
  std::set<std::pair<std::string, std::int64_t>> steps_;
  std::unordered_map<std::string, std::vector<const runner_line*>> events_;
  /// By "event whom".
  std::unordered_map<std::string, std::vector<const runner_line*>> events_about_;
  std::unordered_map<std::string, moment> deaths_;
  std::unordered_map<std::string, std::vector<moment>> stops_by_;
  /// By worker process ("w3.1"), slot ("w3") or "all".
  std::unordered_map<std::string, std::vector<impairment>> impairments_;
  std::unordered_map<std::string, std::vector<impairment>> stops_;
  moment over_ = 0;
  moment lease_ = 0;
};

/// "w3" of "w3.1".
std::string slot_of(const std::string& worker);

}  // namespace rowrunner::chaos
