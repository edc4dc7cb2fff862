#pragma once

#include <memory>
#include <pqxx/pqxx>
#include <string>

#include "apps/app_context.hpp"

namespace rowrunner {

/// A connection for a command. The error of one that cannot be made says where to and what to try,
/// never a password.
std::unique_ptr<pqxx::connection> connect(const app_context& context);

/// As connect, and throws std::runtime_error if the schema does not serve this binary.
std::unique_ptr<pqxx::connection> connect_served(const app_context& context);

/// Throws std::runtime_error with the reason why this binary must not run on the database.
void check_schema(pqxx::dbtransaction& tx);

/// What the database complained about, in one line: message, detail and hint.
std::string complaint(const pqxx::sql_error& error);

/// Takes names without a schema from the system's alone, until the transaction ends. The first
/// thing in every transaction of a command.
void use_system_names(pqxx::dbtransaction& tx);

/// After a permission was denied: as whom the command is connected, and which GRANT would help. ""
/// if that cannot be found out.
std::string permission_advice(const app_context& context);

/// Makes times come as UTC, until the transaction ends.
void use_utc(pqxx::dbtransaction& tx);

}  // namespace rowrunner
