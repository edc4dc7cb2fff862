#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "admin/transaction.hpp"

namespace rowrunner::admin {

/// Something that is wrong with a database, or will be, and what to do about it.
struct finding {
  std::string check;
  /// Empty if it concerns the whole database.
  std::string kind;
  std::string text;
  std::string advice;
};

struct doctor_options {
  /// Repair entries, and detach kinds whose table is gone. Everything else is left to a person.
  bool fix = false;
  /// Sessions that block VACUUM for longer are a finding; see holds_too_long.
  std::chrono::milliseconds vacuum_blocker_alarm{};
  /// What sets the permissions of components in the schema rowrunner, beside the engine's own.
  std::vector<query> permissions{};
};

struct doctor_report {
  /// What is wrong; with `fix`, what still is after it.
  std::vector<finding> findings;
  /// What `fix` did, and what it could not do, one sentence each.
  std::vector<std::string> fixed;
  std::vector<std::string> not_fixed;
};

/// Examines a database whose schema serves this binary; see require_served. Checks only read. One
/// that the server refuses is a finding of its own, and the others go on.
asio::awaitable<doctor_report> run_doctor(pg::session& session, doctor_options options);

/// By how many seconds a clock is ahead of this machine's, if it said `there` between the moments
/// `before` and `after` of this one. 0 if it need not be wrong at all.
double clock_difference(double before, double there, double after);

}  // namespace rowrunner::admin
