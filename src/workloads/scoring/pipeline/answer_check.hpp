#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "workloads/scoring/blocks.hpp"

namespace rowrunner::scoring {

struct checked_answer {
  /// One for each category, in the block's order; those that the answer lacks are empty.
  std::vector<std::optional<double>> scores;
  /// What is wrong, in words for the model; empty if all scores are there and in their range.
  std::string mistake{};

  bool good() const { return mistake.empty(); }
  /// It has at least one score: with `fallback` it is better than nothing.
  bool usable() const;
};

/// Checks a model's text against the schema of a block: an object whose only member, scores, has a
/// number from 0 to 1 for each category, and nothing else. Threads may share it.
class answer_check {
 public:
  static constexpr std::size_t longest_answer = 1024 * 1024;

  explicit answer_check(const block& asked);
  ~answer_check();
  answer_check(const answer_check&) = delete;
  answer_check& operator=(const answer_check&) = delete;

  checked_answer check(std::string_view text) const;

 private:
  struct schema;

  const block asked_;
  const std::unique_ptr<const schema> schema_;
};

/// The JSON schema of an answer, as models that take one are given it.
nlohmann::json answer_schema(const block& asked);

}  // namespace rowrunner::scoring
