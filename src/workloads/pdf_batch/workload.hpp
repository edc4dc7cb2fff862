#pragma once

#include "workloads/workload.hpp"

namespace rowrunner::pdf_batch {

/// PDF files, analysed page by page.
workload as_workload();

}  // namespace rowrunner::pdf_batch
