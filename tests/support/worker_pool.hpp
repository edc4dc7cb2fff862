#pragma once

#include <functional>
#include <list>
#include <memory>

#include "support/process.hpp"
#include "support/watched_database.hpp"

namespace rowrunner::testing {

/// Worker processes side by side that get killed and replaced, as by a supervisor. All end with it.
class worker_pool {
 public:
  using start = std::function<std::unique_ptr<child_process>()>;

  worker_pool(int size, start one);

  /// Until the query answers `wanted`, the oldest worker is killed every second (SIGKILL) and
  /// another started. Says how many were killed; `most` means that the answer never came.
  int kill_until(watched_database& db, const std::string& sql, const std::string& wanted,
                 int most = 60);

 private:
  const start start_;
  std::list<std::unique_ptr<child_process>> running_;
};

}  // namespace rowrunner::testing
