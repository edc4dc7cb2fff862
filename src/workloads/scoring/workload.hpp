#pragma once

#include "workloads/workload.hpp"

namespace rowrunner::scoring {

workload as_workload();

}  // namespace rowrunner::scoring
