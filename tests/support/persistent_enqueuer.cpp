#include "support/persistent_enqueuer.hpp"

#include <pqxx/pqxx>
#include <rowrunner/enqueue.hpp>
#include <utility>

namespace rowrunner::testing {

using namespace std::chrono_literals;

persistent_enqueuer::persistent_enqueuer(std::string url, std::string prefix)
    : url_(std::move(url)), prefix_(std::move(prefix)), thread_([this] { run(); }) {}

void persistent_enqueuer::run() {
  while (!stopping()) {
    try {
      enqueue_until_trouble();
    } catch (const pqxx::failure&) {
      // What was under way is in doubt; it is not tried again, and counts as not acknowledged.
      std::unique_lock lock(mutex_);
      changed_.wait_for(lock, 50ms, [this] { return stopping_; });
    }
  }
}

void persistent_enqueuer::enqueue_until_trouble() {
  pqxx::connection connection(url_);
  {
    const std::lock_guard lock(mutex_);
    ++connections_;
  }
  while (!stopping()) {
    const auto name = prefix_ + std::to_string(next_++);
    pqxx::work tx(connection);
    enqueue_many(tx, "test", {"name", "ms", "max_attempts"}, {{name, "10", "100"}});
    tx.commit();
    const std::lock_guard lock(mutex_);
    acknowledged_.push_back(name);
    changed_.notify_all();
  }
}

bool persistent_enqueuer::stopping() const {
  const std::lock_guard lock(mutex_);
  return stopping_;
}

bool persistent_enqueuer::acknowledged_more_than(std::size_t jobs) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, 60s, [&] { return acknowledged_.size() > jobs; });
}

std::vector<std::string> persistent_enqueuer::acknowledged() const {
  const std::lock_guard lock(mutex_);
  return acknowledged_;
}

int persistent_enqueuer::connections() const {
  const std::lock_guard lock(mutex_);
  return connections_;
}

void persistent_enqueuer::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

}  // namespace rowrunner::testing
