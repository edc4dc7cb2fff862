#pragma once

#include <memory>
#include <pqxx/pqxx>
#include <string>

#include "command/context.hpp"

namespace rowrunner {

/// A connection for a command. The error of one that cannot be made says where to and what to try,
/// never a password.
std::unique_ptr<pqxx::connection> connect(const command_context& context);

/// As connect, and throws std::runtime_error if the schema does not serve this binary.
std::unique_ptr<pqxx::connection> connect_served(const command_context& context);

/// After a permission was denied: as whom the command is connected, and which GRANT would help. ""
/// if that cannot be found out.
std::string permission_advice(const command_context& context);

}  // namespace rowrunner
