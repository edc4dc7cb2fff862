#pragma once

#include <string_view>

namespace rowrunner {

/// The version of this build; CMake sets it.
inline constexpr std::string_view version = ROWRUNNER_VERSION;

}  // namespace rowrunner
