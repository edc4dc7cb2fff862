#pragma once

#include <string>
#include <vector>

#include "admin/migrator.hpp"
#include "apps/workloads.hpp"

namespace rowrunner::testing {

/// Migrates the database at a URL, on a session of its own.
admin::migration_result migrate(const std::string& url,
                                const std::vector<component>& components = all_components());

std::vector<admin::migration_state> migration_status(const std::string& url,
                                                     const std::vector<component>& components);

}  // namespace rowrunner::testing
