#pragma once

#include <string>

namespace rowrunner {

/// "0.1.0".
std::string version();

/// What --version prints: the version and the schema that the binary was built for.
std::string version_text();

}  // namespace rowrunner
