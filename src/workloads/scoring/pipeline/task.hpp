#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "workloads/scoring/blocks.hpp"

namespace rowrunner::scoring {

/// The document's TaskPayload: a (row, block) on its way to the model.
struct task_payload {
  std::string chunk_id;
  int row_index = 0;  ///< From 0 over the whole sheet.
  int block_index = 0;
  int col_offset = 0;
  std::string utterance;
  std::shared_ptr<const block> asked;
  int retry_count = 0;
  /// What was wrong with the last answer, for the next question.
  std::string mistake{};
  /// Under which the answer is cached; empty if it is not.
  std::string cache_key{};
  /// What was paid for it so far, and how long its calls took.
  int calls = 0;
  double cost = 0;
  double seconds = 0;

  /// The same once more, with an attempt charged.
  task_payload retry(std::string with_mistake) &&;
  /// "row 12, block 0 (mood)", with the row as the sheet shows it, from 1.
  std::string place() const;
};

/// The document's ValidationResult.
struct validation_result {
  std::string chunk_id;
  int row_index = 0;
  int block_index = 0;
  int col_offset = 0;
  std::vector<std::optional<double>> scores;
  std::string provider;
  std::string model;
};

/// With the document's fields and no others.
nlohmann::ordered_json to_json(const task_payload& task);
nlohmann::ordered_json to_json(const validation_result& result);

/// What the writer writes: a result, or why there is none.
struct written_item {
  validation_result result;
  std::string failure{};
  bool cache_hit = false;
  int calls = 0;
  double cost = 0;
  double seconds = 0;
};

/// A result of a task that still lacks its scores.
validation_result result_of_task(const task_payload& task);
/// The same, with what the task has cost.
written_item item_of(const task_payload& task);

}  // namespace rowrunner::scoring
