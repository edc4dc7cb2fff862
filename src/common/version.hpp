#pragma once

#include <string_view>

namespace rowrunner {

/// The version of this build, "0.1.0"; CMake sets it.
extern const std::string_view version;

/// The commit that it was built from, if the build was told (ROWRUNNER_COMMIT); empty otherwise.
extern const std::string_view commit;

}  // namespace rowrunner
