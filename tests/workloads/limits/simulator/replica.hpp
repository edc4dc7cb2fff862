#pragma once

#include <random>
#include <string>

#include "simulator/simulation.hpp"
#include "workloads/limits/epoch_clock.hpp"
#include "workloads/limits/gate.hpp"
#include "workloads/limits/schedule.hpp"

namespace rowrunner::limits::testing {

/// What all replicas of a simulation share.
struct world {
  const scenario& of;
  events time;
  plan_table table;
  provider service;
  std::mt19937_64 random;
  outcome seen;
  int in_flight = 0;

  explicit world(const scenario& what)
      : of(what),
        service(what.rate, what.burst, told_by(what), what.retry_after),
        random(what.seed) {}

  static provider::tells told_by(const scenario& what) {
    if (!what.headers) return provider::tells::nothing;
    return what.coarse ? provider::tells::whole_seconds : provider::tells::milliseconds;
  }
  double uniform() { return std::uniform_real_distribution<double>(0, 1)(random); }
  bool database_away() const;
};

/// One process: the production code for decisions, and what shared_plan does around it.
class replica {
 public:
  replica(world& in, int number, instant leaves);

  void step();

 private:
  instant local() const;
  instant now() const { return clock_.at(local()); }
  instant in_world(instant of_database) const;
  void wake_at(instant of_database);

  void pump();
  void call(std::int64_t ticket);
  void perform(const schedule::action& chosen);
  void run_statement(const schedule::action& chosen, std::optional<instant> block);
  void learn_common();
  void count_statement();

  world& in_;
  const std::string name_;
  const instant leaves_;
  const instant skew_;
  const double pace_;
  gate door_;
  schedule plan_;
  epoch_clock clock_;
  bool busy_ = false;
  bool reported_ = false;
  instant next_wake_{std::chrono::hours(1'000'000)};
  std::optional<plan> before_;
  std::vector<member_report> members_;
  /// What the statement under way says, and what it was told.
  member_report said_;
  instant told_block_{0};
  std::vector<plan> told_plans_;
  epoch counted_ = 0;
  int statements_ = 0;
};

}  // namespace rowrunner::limits::testing
