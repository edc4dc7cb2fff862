#pragma once

#include <chrono>

#include "admin/stats.hpp"
#include "common/metrics/exposition.hpp"

namespace rowrunner::admin {

/// The database's state as metrics. Each session, slot or standby that blocks VACUUM is named and
/// counted once it does so for longer than `alarm`.
void add_metrics(exposition& out, const database_stats& stats, std::chrono::milliseconds alarm);

}  // namespace rowrunner::admin
