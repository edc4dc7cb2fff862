#include "workloads/scoring/cache_key.hpp"

#include "workloads/scoring/sha256.hpp"

namespace rowrunner::scoring {

std::string cache_key(const std::string& utterance, const block& asked,
                      const std::string& system_prompt, const model& of) {
  sha256 prompt;
  prompt.add_field(system_prompt);
  // The name of a block is a part of the question; where its columns stand is not.
  const auto stored = to_json(asked);
  sha256 hash;
  hash.add_field(utterance);
  hash.add_field(stored["name"].dump());
  hash.add_field(stored["categories"].dump());
  hash.add_field(prompt.hex());
  hash.add_field(of.provider());
  hash.add_field(of.name());
  hash.add_field(of.endpoint());
  hash.add_field(of.parameters(asked));
  hash.add_field("answer schema " + std::to_string(answer_schema_version));
  return hash.hex();
}

}  // namespace rowrunner::scoring
