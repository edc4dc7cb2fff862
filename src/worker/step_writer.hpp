#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <random>

#include "common/event.hpp"
#include "common/pg/backoff.hpp"
#include "common/pg/session.hpp"
#include "worker/step_queue.hpp"

namespace rowrunner {

/// Stores steps, all that have gathered in one transaction with their effects. A step is inserted
/// under its job's lease if it does not exist, and its effects run only if it was inserted: so
/// whatever is sent again because its answer was lost is found stored, and happens once.
class step_writer {
 public:
  step_writer(boost::asio::io_context& io, pg::session& session);

  void add(step_ptr step);

 private:
  struct group;

  boost::asio::awaitable<void> run();
  boost::asio::awaitable<void> write(step_queue::batch steps);
  boost::asio::awaitable<void> try_write(const step_queue::batch& steps);
  boost::asio::awaitable<void> run_effects(pg::session::turn& turn,
                                           const std::vector<group>& groups);
  void answer_steps(const std::vector<group>& groups);

  boost::asio::io_context& io_;
  pg::session& session_;
  step_queue queue_;
  event arrived_;
  bool started_ = false;
  pg::backoff pauses_;
  std::mt19937_64 rng_{std::random_device{}()};
  pg::statement settings_, lock_timeout_, begin_, own_search_path_, commit_, rollback_;
};

}  // namespace rowrunner
