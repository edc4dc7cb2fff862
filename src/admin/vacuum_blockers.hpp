#pragma once

#include <optional>
#include <string>
#include <vector>

#include "admin/transaction.hpp"
#include "common/schema/held_horizon.hpp"

namespace rowrunner::admin {

/// The answer of horizon_holders.sql.
std::vector<horizon_holder> read_vacuum_blockers(const pg::result& rows);

/// What blocks VACUUM, the oldest first.
asio::awaitable<std::vector<horizon_holder>> read_vacuum_blockers(transaction& tx);

}  // namespace rowrunner::admin
