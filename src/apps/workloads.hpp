#pragma once

#include <vector>

#include "workloads/workload.hpp"

namespace rowrunner {

/// The workloads of this build, in the order of ROWRUNNER_WORKLOADS.
const std::vector<workload>& workloads();

/// The engine, the HTTP server, then the workloads.
std::vector<component> all_components();

/// The routes of all workloads.
std::vector<api::route> workload_routes(const boost::asio::any_io_executor& executor,
                                        const environment& env);

}  // namespace rowrunner
