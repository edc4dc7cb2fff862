#pragma once

#include <pqxx/pqxx>
#include <vector>

#include "common/schema/held_horizon.hpp"

namespace rowrunner {

/// Who keeps dead rows from being removed, the oldest first.
std::vector<horizon_holder> read_horizon_holders(pqxx::dbtransaction& tx);

}  // namespace rowrunner
