#pragma once

#include <string_view>

namespace rowrunner {

/// The version of this build, "0.1.0"; CMake sets it.
extern const std::string_view version;

}  // namespace rowrunner
