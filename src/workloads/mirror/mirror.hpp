#pragma once

#include <memory>
#include <vector>

#include "common/log.hpp"
#include "common/pg/connection.hpp"
#include "workloads/mirror/redis_address.hpp"
#include "workloads/projection.hpp"

namespace rowrunner::mirror {

struct mirror_options {
  redis_address redis;
  pg::settings database;
  std::vector<status_projection> statuses;
  std::vector<queue_projection> queues;
};

/// Shows the statuses of jobs in Redis, in a thread of its own with a database session of its own:
/// a Redis that is away, slow or full costs a job nothing, and what it missed is noted in the
/// database. Several at once are harmless. Before it ends it mirrors once more what is committed.
class mirror {
 public:
  mirror(mirror_options options, std::shared_ptr<logger> log);
  ~mirror();
  mirror(const mirror&) = delete;
  mirror& operator=(const mirror&) = delete;

 private:
  class loop;

  struct parts;
  std::unique_ptr<parts> parts_;
};

}  // namespace rowrunner::mirror
