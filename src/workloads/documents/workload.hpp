#pragma once

#include "workloads/workload.hpp"

namespace rowrunner::documents {

/// Reads the pages of documents.
workload as_workload();

}  // namespace rowrunner::documents
