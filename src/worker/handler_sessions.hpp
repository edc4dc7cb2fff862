#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <rowrunner/services.hpp>

#include "common/pg/session_pool.hpp"

namespace rowrunner {

/// The connections that the handlers of a worker share for their own statements.
///
/// A statement that waits for a lock gives its connection up to other handlers now and then: the
/// server ends it after lock_timeout, which leaves nothing of it behind, and it is sent again,
/// until answer_timeout has passed as it would have for one long wait.
class handler_sessions : public database, public std::enable_shared_from_this<handler_sessions> {
 public:
  handler_sessions(boost::asio::any_io_executor executor, const pg::settings& options,
                   int connections)
      : pool_(std::move(executor), options, connections),
        lock_timeout_(options.lock_timeout),
        patience_(options.answer_timeout) {}

  std::int64_t reconnects() const { return pool_.reconnects(); }
  void set_pooled() { pool_.set_pooled(); }

  boost::asio::awaitable<query_result> query(std::string sql, query_params params) override;

 private:
  using clock = std::chrono::steady_clock;

  boost::asio::awaitable<std::optional<query_result>> try_query(const pg::statement& stmt,
                                                                query_params params,
                                                                clock::time_point until);

  pg::session_pool pool_;
  const std::chrono::milliseconds lock_timeout_;
  const std::chrono::milliseconds patience_;
};

}  // namespace rowrunner
