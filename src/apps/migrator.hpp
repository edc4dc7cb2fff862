#pragma once

#include <optional>
#include <pqxx/pqxx>
#include <span>
#include <string>
#include <vector>

#include "common/migrations.hpp"

namespace rowrunner {

struct migration_state {
  int version = 0;
  std::string name;
  /// UTC; nothing if it has not run.
  std::optional<std::string> applied_at;
};

struct migration_result {
  std::vector<std::string> applied;
  /// The schema's version now.
  int version = 0;
};

/// Runs what has not run yet, in one transaction: all or nothing. Who comes second waits for the
/// first and finds nothing to do. Roles, owners and permissions are set every time, so that also a
/// database that was restored without its roles has them. Throws std::runtime_error, without having
/// changed anything, if a migration that ran is not the one of this binary, or if the schema no
/// longer serves it.
migration_result migrate(pqxx::connection& connection, std::span<const migration> migrations);

/// Every migration that this binary or the database knows. Makes the same checks.
std::vector<migration_state> migration_status(pqxx::dbtransaction& tx,
                                              std::span<const migration> migrations);

}  // namespace rowrunner
