#pragma once

#include <optional>
#include <vector>

#include "workloads/limits/headers.hpp"
#include "workloads/limits/moment.hpp"

namespace rowrunner::limits {

/// A key of which nothing is known begins with so many calls a second over all replicas.
constexpr double first_rate = 1;
constexpr double lowest_rate = 1.0 / 60;
constexpr double highest_rate = 10'000;

/// How the rate moves. The defaults are those that the simulator found best; docs/limits.md.
struct rate_rules {
  /// Of what the service takes: where a cut leads, and where the rate stays while all is calm.
  double after_cut = 0.9;
  double steady = 0.97;
  /// The way from the one to the other, a second.
  double regrowth = 0.02;
  /// A second, until the first 429. What was accepted then is more than the service takes, because
  /// it had something in reserve.
  double slow_start = 1.4;
  double first_cut = 0.9;
  /// Seconds of calm before a probe, and of each of its steps.
  epoch calm = 10;
  epoch step_length = 4;
  /// A probe begins with the first step; beyond the largest one the slow start begins again.
  double first_step = 0.04;
  double largest_step = 0.25;
};

/// How many calls a second the fleet makes, and what it has learned about that.
struct rate_state {
  double rate = first_rate;
  /// What the service was seen to take; 0 while nothing was rejected.
  double ceiling = 0;
  /// A probe above the ceiling: the rate before it, and how much is added; 0 if there is none.
  double base = 0;
  double step = 0;
  /// The first epoch under the newest cut, and the first of the present phase.
  epoch cut = 0;
  epoch since = 0;
  /// Calls that were accepted from `measured` to `counted`, both included.
  double accepted = 0;
  epoch measured = 0;
  epoch counted = 0;
  /// The rate of the plan before.
  double before = first_rate;
};

/// The fleet's calls of an epoch.
struct fleet_counts {
  epoch at = 0;
  double sent = 0;
  double rejected = 0;
};

struct rate_facts {
  /// The epoch that is planned.
  epoch at = 0;
  /// The replicas would send as much as they may, or more, and they do send.
  bool wanted = false;
  /// In order of epochs; the last one is incomplete.
  std::vector<fleet_counts> fleet;
  /// By fresh headers.
  std::optional<limit_estimate> told;
  /// Calls a second that were configured.
  std::optional<double> quota;
};

/// Before anything was sent.
rate_state initial_rate(epoch at, std::optional<double> quota, const rate_rules& rules = {});

/// Slow start until the first 429; a cut to what was accepted; back to just below that; and when
/// all was calm for a while a probe above it, in growing steps.
rate_state next_rate(const rate_state& before, const rate_facts& facts,
                     const rate_rules& rules = {});

}  // namespace rowrunner::limits
