#include "workloads/scoring/pipeline/task.hpp"

namespace rowrunner::scoring {

using nlohmann::ordered_json;

task_payload task_payload::retry(std::string with_mistake) && {
  task_payload again = std::move(*this);
  ++again.retry_count;
  again.mistake = std::move(with_mistake);
  return again;
}

std::string task_payload::place() const {
  return "row " + std::to_string(row_index + 1) + ", block " + std::to_string(block_index) + " (" +
         asked->name + ")";
}

ordered_json to_json(const task_payload& task) {
  ordered_json categories = ordered_json::array();
  for (const auto& each : task.asked->categories) {
    ordered_json one{{"name", each.name}};
    if (!each.description.empty()) one["description"] = each.description;
    categories.push_back(std::move(one));
  }
  return {{"chunk_id", task.chunk_id},       {"row_index", task.row_index},
          {"block_index", task.block_index}, {"col_offset", task.col_offset},
          {"utterance", task.utterance},     {"categories", categories},
          {"retry_count", task.retry_count}};
}

ordered_json to_json(const validation_result& result) {
  ordered_json scores = ordered_json::array();
  for (const auto& each : result.scores) {
    scores.push_back(each ? ordered_json(*each) : ordered_json());
  }
  return {{"chunk_id", result.chunk_id},
          {"row_index", result.row_index},
          {"block_index", result.block_index},
          {"col_offset", result.col_offset},
          {"scores", scores},
          {"provider", result.provider},
          {"model", result.model}};
}

validation_result result_of_task(const task_payload& task) {
  return {task.chunk_id, task.row_index, task.block_index, task.col_offset, {}, "", ""};
}

written_item item_of(const task_payload& task) {
  written_item out{result_of_task(task)};
  out.calls = task.calls;
  out.cost = task.cost;
  out.seconds = task.seconds;
  return out;
}

}  // namespace rowrunner::scoring
