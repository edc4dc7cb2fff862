#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

namespace rowrunner::limits {

/// What is known of a limit beforehand.
struct quota {
  std::optional<double> requests_per_minute;
  std::optional<double> tokens_per_minute;
  /// Calls under way at a time, over all replicas.
  std::optional<int> concurrency;

  bool operator==(const quota&) const = default;
};

/// What an answer says about limits. Nothing means that it says nothing.
struct answer_facts {
  /// The HTTP status; 0 if there was no answer.
  int status = 0;
  std::optional<std::chrono::milliseconds> retry_after;
  std::optional<std::int64_t> limit_requests;
  std::optional<std::int64_t> remaining_requests;
  std::optional<std::chrono::milliseconds> reset_requests;
  std::optional<std::int64_t> limit_tokens;
  std::optional<std::int64_t> remaining_tokens;
  std::optional<std::chrono::milliseconds> reset_tokens;
  std::optional<std::int64_t> tokens_used;
};

}  // namespace rowrunner::limits
