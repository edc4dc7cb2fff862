#pragma once

#include <chrono>
#include <string>

#include "common/environment.hpp"

namespace rowrunner::providers {

/// REQUEST_TIMEOUT, in seconds, such as 60.0: for one call of an outside service. Throws
/// usage_error.
std::chrono::milliseconds request_timeout(const environment& env);

/// The address of a service that gets a key: https, or on this machine. Throws usage_error, naming
/// the variable.
std::string base_url(const environment& env, const std::string& variable,
                     const std::string& otherwise);

}  // namespace rowrunner::providers
