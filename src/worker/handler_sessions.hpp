#pragma once

#include <rowrunner/services.hpp>

#include "common/pg/session_pool.hpp"

namespace rowrunner {

/// The connections that the handlers of a worker share for their own statements.
class handler_sessions : public database {
 public:
  handler_sessions(boost::asio::any_io_executor executor, const pg::settings& options,
                   int connections)
      : pool_(std::move(executor), options, connections) {}

  std::int64_t reconnects() const { return pool_.reconnects(); }
  void set_pooled() { pool_.set_pooled(); }

  boost::asio::awaitable<query_result> query(std::string sql, query_params params) override;

 private:
  pg::session_pool pool_;
};

}  // namespace rowrunner
