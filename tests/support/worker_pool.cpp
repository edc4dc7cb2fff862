#include "support/worker_pool.hpp"

#include <csignal>

namespace rowrunner::testing {

worker_pool::worker_pool(int size, start one) : start_(std::move(one)) {
  for (int i = 0; i < size; ++i) running_.push_back(start_());
}

int worker_pool::kill_until(watched_database& db, const std::string& sql, const std::string& wanted,
                            int most) {
  int kills = 0;
  while (kills < most && !db.becomes(sql, wanted, std::chrono::seconds{1})) {
    running_.front()->kill(SIGKILL);
    running_.pop_front();
    ++kills;
    running_.push_back(start_());
  }
  return kills;
}

}  // namespace rowrunner::testing
