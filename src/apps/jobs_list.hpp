#pragma once

#include <optional>
#include <string>
#include <vector>

#include "command/context.hpp"

namespace rowrunner {

struct list_options {
  std::optional<std::string> kind;
  /// A job's status, or "delayed".
  std::optional<std::string> status;
  int limit = 50;
  /// Where the page before ended, as the listing said.
  std::optional<std::string> after;
  /// The columns to show of the job table; empty: all that are not the engine's, in one.
  std::vector<std::string> columns;
};

/// Prints one page of jobs: the waiting ones in the order of the line, delayed ones by their time,
/// failed ones by the time of failure, all others by id, the newest first.
void list_jobs(const command_context& context, const list_options& options);

}  // namespace rowrunner
