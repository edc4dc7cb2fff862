#pragma once

#include "workloads/workload.hpp"

namespace rowrunner::ocr_relay {

/// The relay: reads PDF files page by page, and sends each page and a summary to a webhook.
workload as_workload();

}  // namespace rowrunner::ocr_relay
