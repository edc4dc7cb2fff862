#pragma once

#include <pqxx/pqxx>
#include <string>

#include "apps/wait_reason.hpp"
#include "common/schema/kind_info.hpp"

namespace rowrunner {

/// The facts of a job of that kind, except for vacuum_blocker. It must exist.
wait_facts read_wait_facts(pqxx::dbtransaction& tx, const kind_info& kind, const std::string& id);

/// Says which job table is locked as a whole and by whom; after a lock timeout.
std::string locked_table(pqxx::dbtransaction& tx);

}  // namespace rowrunner
