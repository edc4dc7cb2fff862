#pragma once

#include <nlohmann/json.hpp>

#include "common/child/options.hpp"

namespace rowrunner::child {

/// With options::confinement_required, starts a child to see what the platform allows. Blocks.
/// Throws usage_error if something is missing: then nothing should be started.
void check_confinement(const options& how);

/// "a; b": what a child has found missing.
std::string list_of(const nlohmann::json& missing);

}  // namespace rowrunner::child
