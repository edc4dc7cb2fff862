#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

#include "api/job_state.hpp"

namespace rowrunner {

/// A form in which the statuses of a kind stand in Redis, besides `job:status:{id}` with the JSON
/// of GET /documents/jobs/{id}, which every mirrored kind has.
struct status_projection {
  std::string_view kind;
  /// The key is this and the public id of the job.
  std::string_view key_prefix;
  nlohmann::ordered_json (*as_json)(const api::job_state& of);
};

/// A list in Redis with the public ids of the jobs that wait. Several kinds may share one.
struct queue_projection {
  std::string_view kind;
  std::string_view list;
};

}  // namespace rowrunner
