#pragma once

#include <string>
#include <string_view>

#include "common/environment.hpp"
#include "workloads/limits/facts.hpp"

namespace rowrunner::limits {

/// As in "requests=600/min,tokens=90000/min,concurrency=32"; per s, min or hour. `name` is for
/// messages. Throws usage_error.
quota parse_quota(std::string_view text, std::string_view name);

/// The variable of a key: gemini:flash has LIMIT_GEMINI_FLASH.
std::string variable_of(std::string_view key);

/// Reads all of them once, so that a mistake is found when the process starts.
void check_quotas(const environment& env);

quota quota_of(std::string_view key, const environment& env);

}  // namespace rowrunner::limits
