#pragma once

#include <functional>
#include <pqxx/pqxx>

namespace rowrunner {

/// Reads job tables in a transaction of its own. A table that is locked as a whole does not keep it
/// waiting: it throws std::runtime_error with the table and the session that locks it.
void read_jobs(pqxx::connection& connection, const std::function<void(pqxx::dbtransaction&)>& read);

}  // namespace rowrunner
