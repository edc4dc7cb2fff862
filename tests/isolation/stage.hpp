#pragma once

#include <libpq-fe.h>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "support/jobs_database.hpp"

namespace rowrunner::testing {

/// A statement of db/queries by its name, or, without parameters, SQL of the test itself.
struct command {
  std::string statement;
  std::vector<std::string> params;
};

/// What a session does in one transaction. Others may act between its steps.
struct transaction {
  std::string name;
  std::vector<std::vector<command>> steps;
  /// The column of its answers that says what counted; empty for a write that only counts rows.
  std::string answer_column;
};

/// How often the transactions came to which end, over all orders of their steps.
using outcomes = std::map<std::string, int>;

/// Runs transactions of several sessions in every order that their steps can have, as PostgreSQL's
/// isolationtester does, and looks at the invariants after each. Unlike there an order is found by
/// running it: a session that waits for a lock is passed over until it goes on, so that no order
/// is tried that cannot be.
class stage {
 public:
  stage();
  ~stage();

  jobs_database db;

  /// For setting up: runs the command in a transaction of its own.
  void run(const command& one);

  /// One line for each end: what each transaction was answered, and what has become of the jobs.
  /// A violated invariant, an error and a deadlock are failures of the test.
  outcomes play(const std::function<void()>& set_up, const std::vector<transaction>& cast);

 private:
  class actor;
  struct schedule;

  std::string play_once(schedule& order);
  void settle();
  bool is_blocked(const actor& one);

  std::vector<std::unique_ptr<actor>> actors_;
  std::unique_ptr<actor> director_;
  /// The transactions that are played, as many as the first actors.
  std::size_t playing_ = 0;
};

}  // namespace rowrunner::testing
