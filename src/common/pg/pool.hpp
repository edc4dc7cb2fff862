#pragma once

#include <chrono>
#include <memory>
#include <vector>

#include "common/pg/session.hpp"

namespace rowrunner::pg {

/// A few sessions for many callers, on one thread. A caller gets the session that the fewest others
/// wait for.
class pool {
 public:
  pool(const asio::any_io_executor& executor, const settings& options, std::size_t size);

  /// As session::run, in one round trip. Throws connection_lost also if the caller's turn does not
  /// come within the time; what was sent by then is waited for as long as the settings say.
  asio::awaitable<std::vector<result>> run(std::vector<call> calls,
                                           std::chrono::milliseconds at_most);
  asio::awaitable<result> run_one(call one, std::chrono::milliseconds at_most);

 private:
  struct member {
    std::unique_ptr<session> on;
    int callers = 0;
  };
  struct outcome;

  static asio::awaitable<void> attempt(session& on, std::vector<call> calls, outcome& out);

  std::vector<member> members_;
};

}  // namespace rowrunner::pg
