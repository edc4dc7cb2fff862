#pragma once

#include <optional>
#include <string>
#include <vector>

#include "admin/transaction.hpp"
#include "common/schema/component.hpp"

namespace rowrunner::admin {

struct migration_state {
  std::string component;
  int version = 0;
  std::string name;
  /// UTC; nothing if it has not run.
  std::optional<std::string> applied_at;
};

struct migration_result {
  /// "engine/0001_engine".
  std::vector<std::string> applied;
  /// The version of the engine's schema now.
  int version = 0;
};

/// The engine: the first component of every database.
component engine_component();

/// Runs the migrations that have not run yet, in one transaction: all or nothing. The engine must
/// be the first of the components. A second migrate at the same time waits for the first one and
/// finds nothing to do. Roles, owners and permissions are set every time, so that a database that
/// was restored without its roles gets them too. Throws error{migration_refused} or
/// error{schema_unfit}, without having changed anything, if a migration that ran is not the one of
/// this binary, or if the schema no longer serves it.
asio::awaitable<migration_result> migrate(pg::session& session, std::vector<component> components);

/// Every migration that this binary or the database knows. Makes the same checks.
asio::awaitable<std::vector<migration_state>> migration_status(pg::session& session,
                                                               std::vector<component> components);

}  // namespace rowrunner::admin
