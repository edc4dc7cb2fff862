#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "common/environment.hpp"

namespace rowrunner::ocr_relay {

/// RELAY_TOKEN, the bearer of all callers; nothing if it is not set.
std::optional<std::string> relay_token(const environment& env);

/// RELAY_SUMMARY_WAIT, in seconds (default 600): how long the summary waits for deliveries after
/// the last page. Throws usage_error.
std::chrono::milliseconds summary_wait(const environment& env);

/// RELAY_MAX_FILE_MB, of a document (default 500). Throws usage_error.
std::uint64_t largest_file(const environment& env);

}  // namespace rowrunner::ocr_relay
