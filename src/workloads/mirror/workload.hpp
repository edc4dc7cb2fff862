#pragma once

#include "workloads/workload.hpp"

namespace rowrunner::mirror {

/// The statuses of jobs in Redis, beside every worker and server that has REDIS_URL or REDIS_HOST.
workload as_workload();

}  // namespace rowrunner::mirror
