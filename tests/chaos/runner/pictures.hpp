#pragma once

#include <string>

namespace rowrunner::chaos {

/// Of the picture that a file:// URL names: none, whole, missing or broken. The workload knows.
std::string state_of_file(const std::string& url);

}  // namespace rowrunner::chaos
