#pragma once

#include <rowrunner/measures.hpp>

#include "common/metrics/exposition.hpp"

namespace rowrunner {

/// What a worker process has done, as metrics.
void add_metrics(exposition& out, const worker_measures& of);

}  // namespace rowrunner
