#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "workloads/spot_images/enqueue.hpp"

namespace rowrunner::spot_images {

inline nlohmann::ordered_json to_json(const enqueue_answer& answer) {
  return {
      {"enqueued", answer.enqueued}, {"requeued", answer.requeued}, {"skipped", answer.skipped}};
}

inline std::string to_text(const enqueue_answer& answer) {
  return "pictures: " + std::to_string(answer.enqueued) + " enqueued, " +
         std::to_string(answer.requeued) + " requeued, " + std::to_string(answer.skipped) +
         " skipped";
}

}  // namespace rowrunner::spot_images
