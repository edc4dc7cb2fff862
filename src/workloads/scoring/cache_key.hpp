#pragma once

#include <string>

#include "workloads/scoring/models/model.hpp"

namespace rowrunner::scoring {

/// Counts up when answers that were stored must not be used any more.
inline constexpr int answer_schema_version = 2;

/// The document's cache key: SHA-256 over utterance, categories as JSON, hash of the system prompt,
/// provider and model; each behind its length, with the address that is asked, the parameters of
/// the call and the version of the answers' schema.
std::string cache_key(const std::string& utterance, const block& asked,
                      const std::string& system_prompt, const model& of);

}  // namespace rowrunner::scoring
