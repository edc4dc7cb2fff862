#pragma once

#include <vector>

#include "common/child/tool.hpp"

namespace rowrunner::testing {

/// Tools that do what a file that took over a library might do.
std::vector<child::tool> bad_tools();

}  // namespace rowrunner::testing
