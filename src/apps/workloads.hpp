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

/// Everything that runs beside a worker or a server, for as long as the answer lives.
std::vector<std::shared_ptr<void>> start_companions(const command_context& context);
/// What the workloads run in child processes, each name once.
std::vector<child::tool> child_tools();

}  // namespace rowrunner
