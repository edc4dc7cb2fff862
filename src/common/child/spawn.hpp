#pragma once

#include <sys/types.h>

#include <chrono>
#include <utility>

#include "common/child/options.hpp"
#include "common/descriptor.hpp"

namespace rowrunner::child {

/// Waits until it has ended; its status as of wait(2).
int reap(pid_t pid) noexcept;

struct child_end {
  /// As of wait(2).
  int status = 0;
  /// It did not end by itself.
  bool killed = false;
};

/// The end of a child that has closed its connection. It is killed if it does not end in time.
child_end await_end(pid_t pid, std::chrono::milliseconds patience) noexcept;

/// A child that has just been started; killed unless its number is taken.
struct spawned {
  spawned() = default;
  spawned(pid_t number, descriptor connection) : pid(number), socket(std::move(connection)) {}
  spawned(spawned&& other) noexcept
      : pid(std::exchange(other.pid, -1)), socket(std::move(other.socket)) {}
  spawned& operator=(spawned&& other) noexcept {
    std::swap(pid, other.pid);
    std::swap(socket, other.socket);
    return *this;
  }
  ~spawned();

  pid_t take_pid() { return std::exchange(pid, -1); }

  pid_t pid = -1;
  /// Connected to the stdin of the child.
  descriptor socket;
};

/// Starts a child without any file of ours but /dev/null and the connection. It dies with the
/// calling thread. Throws std::system_error.
spawned spawn(const options& how);

}  // namespace rowrunner::child
