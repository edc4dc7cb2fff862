#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <thread>

namespace rowrunner {

/// Threads for work that blocks. A thread cannot be killed: one whose work was abandoned is
/// replaced by another.
class blocking_pool {
 public:
  using task_id = std::uint64_t;

  explicit blocking_pool(std::size_t max_threads);
  /// Waits for the work that runs, except for what was abandoned: those threads keep what they use
  /// alive and end on their own.
  ~blocking_pool();
  blocking_pool(const blocking_pool&) = delete;
  blocking_pool& operator=(const blocking_pool&) = delete;

  /// `work` must not throw. It runs on some thread, soon.
  task_id post(std::function<void()> work);
  /// The destructor does not wait for this work.
  void abandon(task_id task);
  void abandon_all();
  /// Threads that were abandoned and have not come back.
  std::size_t hung() const;

 private:
  struct shared;
  static void serve(const std::shared_ptr<shared>& state);

  std::shared_ptr<shared> state_;
};

}  // namespace rowrunner
