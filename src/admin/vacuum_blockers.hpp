#pragma once

#include <optional>
#include <string>
#include <vector>

#include "admin/transaction.hpp"
#include "common/schema/vacuum_blocker.hpp"

namespace rowrunner::admin {

/// The answer of vacuum_blockers.sql.
std::vector<vacuum_blocker> read_vacuum_blockers(const pg::result& rows);

/// What blocks VACUUM, the oldest first.
asio::awaitable<std::vector<vacuum_blocker>> read_vacuum_blockers(transaction& tx);

}  // namespace rowrunner::admin
