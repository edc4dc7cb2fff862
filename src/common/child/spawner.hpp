#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/thread_pool.hpp>

#include "common/child/spawn.hpp"

namespace rowrunner::child {

namespace asio = boost::asio;

/// The thread that starts children and waits for their ends. A child is told of the death of the
/// thread that started it, not of its process (PR_SET_PDEATHSIG), so this one has to live as long
/// as its children.
class spawner {
 public:
  explicit spawner(options how) : how_(std::move(how)) {}
  ~spawner() { close(); }
  spawner(const spawner&) = delete;
  spawner& operator=(const spawner&) = delete;

  /// Throws std::system_error. It cannot be cancelled.
  asio::awaitable<spawned> start();
  /// How a child ended that has closed its connection.
  asio::awaitable<child_end> end_of(pid_t pid);
  /// The same for its own sake.
  void bury(pid_t pid) noexcept;
  /// What was begun is finished first.
  void close() noexcept;

 private:
  const options how_;
  asio::thread_pool thread_{1};
  bool closed_ = false;
};

}  // namespace rowrunner::child
