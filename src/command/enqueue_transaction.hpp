#pragma once

#include <functional>
#include <pqxx/pqxx>

#include "command/context.hpp"

namespace rowrunner {

/// For commands that enqueue, which happens in a transaction of libpqxx: runs `work` in one, in
/// which names without a schema are the system's alone, and commits. Errors are those of
/// with_database.
void in_enqueue_transaction(const command_context& context,
                            const std::function<void(pqxx::dbtransaction&)>& work);

}  // namespace rowrunner
