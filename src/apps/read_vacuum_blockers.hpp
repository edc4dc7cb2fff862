#pragma once

#include <pqxx/pqxx>
#include <vector>

#include "common/schema/vacuum_blocker.hpp"

namespace rowrunner {

/// Who keeps dead rows from being removed, the oldest first.
std::vector<vacuum_blocker> read_vacuum_blockers(pqxx::dbtransaction& tx);

}  // namespace rowrunner
