#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "common/http/message.hpp"
#include "workloads/limits/facts.hpp"

namespace rowrunner::limits {

/// The value of a header by its name in lower case, or nothing.
using header_lookup = std::function<std::optional<std::string>(std::string_view name)>;

/// Reads Retry-After and the rate limit headers: x-ratelimit-limit-requests and the like,
/// anthropic-ratelimit-…, x-ratelimit-limit, ratelimit-limit. Values that make no sense (a limit of
/// 0 or less, a negative rest, text) are left out. `now` is for headers that name a time.
answer_facts facts_of(int status, const header_lookup& header,
                      std::chrono::system_clock::time_point now = std::chrono::system_clock::now());
answer_facts facts_of(const http::response& answer,
                      std::chrono::system_clock::time_point now = std::chrono::system_clock::now());

/// The time until a limit is whole again: 90, 1.5, 6m0s, 20ms, a time as 2026-01-31T12:00:00Z or in
/// seconds since 1970. Nothing for anything else.
std::optional<std::chrono::milliseconds> parse_reset(std::string_view text,
                                                     std::chrono::system_clock::time_point now);

}  // namespace rowrunner::limits
