#pragma once

#include "workloads/workload.hpp"

namespace rowrunner::webhooks {

/// Events for receivers: the kind webhook_delivery.
workload as_workload();

}  // namespace rowrunner::webhooks
