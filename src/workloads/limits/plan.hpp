#pragma once

#include <optional>
#include <string>
#include <vector>

#include "workloads/limits/bucket.hpp"
#include "workloads/limits/facts.hpp"
#include "workloads/limits/headers.hpp"
#include "workloads/limits/moment.hpp"
#include "workloads/limits/rate.hpp"

namespace rowrunner::limits {

/// What a replica sent in an epoch, and how much of it was rejected with 429.
struct epoch_counts {
  epoch at = 0;
  int sent = 0;
  int rejected = 0;
  double tokens = 0;
};

/// What a replica says about itself, in its own row.
struct member_report {
  std::string replica;
  /// Calls that it would start within a second, if it could.
  int want = 0;
  int in_flight = 0;
  double tokens_per_call = 0;
  /// The last few epochs.
  std::vector<epoch_counts> counts;
  /// What answers of the last seconds told.
  header_sums requests;
  header_sums tokens;
};

/// What a replica may do in the plan's epoch.
struct share {
  std::string replica;
  /// Whole calls.
  int slots = 0;
  /// Calls under way at a time; nothing: no limit but its own.
  std::optional<int> concurrency;
};

/// One for all replicas, for one epoch. Never changed once it is stored.
struct plan {
  epoch at = 0;
  rate_state rate;
  /// The part of a call that was left over.
  double carry = 0;
  token_bucket tokens;
  /// Where the next one begins to hand out what does not divide.
  std::int64_t turn = 0;
  /// In the order in which their slots come.
  std::vector<share> shares;
};

/// The plan of an epoch by the newest one before it, if there was one. The same facts make the same
/// plan, in every process.
plan next_plan(const std::optional<plan>& before, epoch at, const quota& known,
               std::vector<member_report> members, const rate_rules& rules = {});

}  // namespace rowrunner::limits
