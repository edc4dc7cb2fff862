#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <random>
#include <vector>

#include "common/log.hpp"
#include "common/pg/backoff.hpp"
#include "common/pg/error.hpp"
#include "common/pg/session.hpp"
#include "worker/changes.hpp"
#include "worker/claim.hpp"
#include "worker/execute.hpp"
#include "worker/finish.hpp"
#include "worker/join_firing.hpp"
#include "worker/loop_plan.hpp"

namespace rowrunner {

/// Brings jobs into this process: claims for every lane that has room, hands what it got to the
/// executor, and while there is nothing to claim, waits for a wake-up and polls. The poll is one
/// statement for all kinds; it also finds delayed jobs that are due and leases of lost workers, and
/// takes care of both. loop_plan decides, this performs.
class queue_loop {
 public:
  queue_loop(boost::asio::io_context& io, pg::session& session, claimer& claims, executor& execute,
             const finisher& finish, const lane_list& lanes, const worker_options& options,
             changes& changed, logger& log);

  /// Runs until stop(), or until the end that the options name.
  boost::asio::awaitable<void> run();
  /// Nothing more is claimed or started.
  void stop();

 private:
  using clock = loop_plan::clock;

  boost::asio::awaitable<bool> round();
  void note_writes();
  void hear_notifications();
  void release_stuck();
  boost::asio::awaitable<bool> claim_where_wanted();
  boost::asio::awaitable<bool> claim_for(lane& lane, int at_most);
  void take_in(lane& lane, const claimed& got);
  boost::asio::awaitable<void> poll();
  boost::asio::awaitable<bool> poll_for(const std::vector<lane*>& kinds);
  boost::asio::awaitable<void> handle_poll_row(lane& lane, const poll_row& row);
  boost::asio::awaitable<void> fire_joins(bool noted);
  boost::asio::awaitable<bool> rescue(lane& lane);
  boost::asio::awaitable<bool> move_due(lane& lane);
  boost::asio::awaitable<void> wait();

  void back_off(lane& lane, loop_task task, const char* what, const pg::query_error& failure);
  void report_left_behind() const;
  std::chrono::milliseconds poll_pause();

  boost::asio::io_context& io_;
  pg::session& session_;
  claimer& claims_;
  executor& execute_;
  const finisher& finish_;
  const lane_list& lanes_;
  const worker_options& options_;
  changes& changed_;
  logger& log_;
  loop_plan plan_;
  pg::backoff backoff_;
  std::mt19937_64 rng_{std::random_device{}()};
  std::uint64_t rounds_written_ = 0;
  bool stopping_ = false;
  join_firing joins_;
  pg::statement poll_, arm_, rescue_, move_due_, lock_timeout_;
};

}  // namespace rowrunner
