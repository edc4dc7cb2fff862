#pragma once

#include <chrono>
#include <string>

#include "admin/stats.hpp"

namespace rowrunner::admin {

/// All of it as metrics for Prometheus. What blocks VACUUM is named once it does so for longer than
/// `alarm`.
std::string metrics_text(const database_stats& stats, std::chrono::milliseconds alarm);

}  // namespace rowrunner::admin
