#pragma once

#include <exception>
#include <memory>
#include <thread>

#include "command/context.hpp"

namespace rowrunner {
class worker;
}

namespace rowrunner::scoring {

/// A worker for the kinds of scoring, on a thread of this command.
class worker_here {
 public:
  explicit worker_here(const command_context& context);
  ~worker_here();
  worker_here(const worker_here&) = delete;
  worker_here& operator=(const worker_here&) = delete;

  /// A signal has stopped it, or it could not go on.
  bool ended() const noexcept;
  /// Gives chunks that run back. Throws what the worker has thrown.
  void stop();

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace rowrunner::scoring
