#pragma once

#include <string>
#include <vector>

#include "admin/jobs_list.hpp"
#include "command/context.hpp"

namespace rowrunner {

struct list_options : admin::jobs_filter {
  /// The columns to show of the job table; empty: all that are not the engine's, in one.
  std::vector<std::string> columns;
};

/// Prints one page of jobs.
void list_jobs(const command_context& context, const list_options& options);

}  // namespace rowrunner
