#pragma once

#include "workloads/workload.hpp"

namespace rowrunner::spot_images {

/// One picture per place of a travel plan.
workload as_workload();

}  // namespace rowrunner::spot_images
