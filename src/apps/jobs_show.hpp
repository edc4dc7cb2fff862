#pragma once

#include <optional>
#include <pqxx/pqxx>
#include <string>
#include <vector>

#include "command/context.hpp"
#include "common/schema/kind_info.hpp"

namespace rowrunner {

struct found_job {
  const kind_info* kind;
  /// The row as JSON.
  std::string row;
};

/// Looks for a job in the table of each kind, by primary key. Throws std::runtime_error if no table
/// has it.
found_job find_job(pqxx::dbtransaction& tx, const std::vector<kind_info>& kinds,
                   const std::string& id);

/// Prints a job: its row, steps, progress and attempts.
void show_job(const command_context& context, const std::string& id);

}  // namespace rowrunner
