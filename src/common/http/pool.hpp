#pragma once

#include <chrono>
#include <cstddef>
#include <list>
#include <memory>

#include "common/http/connection.hpp"

namespace rowrunner::http {

/// Connections that wait for their next request. Old ones are dropped whenever the pool is used; a
/// timer would keep the io_context from running out of work.
class pool {
 public:
  using clock = std::chrono::steady_clock;

  struct limits {
    std::size_t per_server;
    std::size_t total;
    clock::duration idle;
  };

  explicit pool(limits allowed) : limits_(allowed) {}

  /// The connection to that server which was used last, or null.
  std::unique_ptr<connection> take(const origin& server, clock::time_point now);
  /// Keeps it if it can be used again, and makes room by dropping the oldest.
  void give(std::unique_ptr<connection> used, clock::time_point now);
  void clear() { idle_.clear(); }
  std::size_t size() const noexcept { return idle_.size(); }

 private:
  struct entry {
    std::unique_ptr<connection> open;
    clock::time_point since;
  };

  void drop_old(clock::time_point now);

  const limits limits_;
  /// The oldest first.
  std::list<entry> idle_;
};

}  // namespace rowrunner::http
