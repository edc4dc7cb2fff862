#pragma once

#include <string>
#include <vector>

#include "workloads/workload.hpp"

namespace rowrunner {

/// The workloads, each under the kind that it is made for: what a worker serves by default.
std::vector<handler_entry> workload_handlers();

/// The handler of that name, for a kind; throws usage_error that lists the names there are, and
/// says how a kind that has none is run.
handler_entry find_handler(const std::string& kind, const std::string& name);

}  // namespace rowrunner
