#pragma once

#include <pqxx/pqxx>
#include <string>

namespace rowrunner {

/// Takes names without a schema from the system's alone, until the transaction ends. The first
/// thing in every transaction of a command.
void use_system_names(pqxx::dbtransaction& tx);

/// Makes times come as UTC, until the transaction ends.
void use_utc(pqxx::dbtransaction& tx);

/// Throws std::runtime_error with the reason why this binary must not run on the database.
void check_schema(pqxx::dbtransaction& tx);

/// What the database complained about, in one line: message, detail and hint.
std::string complaint(const pqxx::sql_error& error);

}  // namespace rowrunner
