#pragma once

#include "common/schema/component.hpp"

namespace rowrunner::limits {

/// The tables of the shared limits: the schema rowrunner_limits.
component limits_component();

}  // namespace rowrunner::limits
