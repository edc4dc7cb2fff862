#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "common/event.hpp"
#include "common/log.hpp"
#include "common/pg/error.hpp"
#include "common/pg/session.hpp"
#include "worker/claim.hpp"
#include "worker/lane.hpp"

namespace rowrunner {

/// Brings jobs into this process: claims for every lane that has room, and while there is nothing
/// to claim, waits for a wake-up and polls. The poll is one statement for all kinds; it also finds
/// delayed jobs that are due and leases of lost workers, and takes care of both.
class line_loop {
 public:
  struct hooks {
    std::function<void(const job_ptr&)> start;
    /// A claimed job that will not be started: to be given back.
    std::function<void(const job_ptr&)> give_back;
    /// Outcomes that are not written yet.
    std::function<std::size_t()> unwritten;
  };

  line_loop(boost::asio::io_context& io, pg::session& session, claimer& claims,
            std::vector<std::unique_ptr<lane>>& lanes, const worker_options& options, logger& log,
            hooks do_this);

  /// Runs until stop(), or until the end that the options name.
  boost::asio::awaitable<void> run();
  void stop();

  /// A job of this lane has ended: its slot is free.
  void slot_freed(lane& home);
  /// Outcomes were written: jobs may be back in line, and there is room for more.
  void outcomes_written();

 private:
  using clock = lane::clock;

  struct poll_round {
    bool arm = false;
    /// Something was done that may have brought jobs into the queue.
    bool acted = false;
    /// When there will be something to do, as far as it is known.
    clock::time_point next = clock::time_point::max();

    void wait_for(const lane_backoff& tries) { next = std::min(next, tries.until()); }
  };

  void give_back_stuck();
  boost::asio::awaitable<bool> claim_where_wanted();
  boost::asio::awaitable<bool> claim_for(lane& home, int at_most);
  void take_in(lane& home, const claimed& got);
  boost::asio::awaitable<void> watch();
  boost::asio::awaitable<bool> poll(const std::vector<lane*>& asked, poll_round& round);
  boost::asio::awaitable<void> handle_poll_row(lane& home, const pg::result& seen, int row,
                                               poll_round& round);
  boost::asio::awaitable<void> fire_joins(bool noted, poll_round& round);
  boost::asio::awaitable<bool> rescue(lane& home);
  boost::asio::awaitable<bool> move_due(lane& home);
  boost::asio::awaitable<void> wait();

  void back_off(lane& home, lane_backoff& tries, const char* what, const pg::query_error& failure);
  void report_left_behind() const;
  int wanted(const lane& home) const;
  std::int64_t jobs_left() const;
  bool finished() const;
  bool anyone_asleep() const;
  void pump(lane& home);
  std::chrono::milliseconds poll_pause();

  boost::asio::io_context& io_;
  pg::session& session_;
  claimer& claims_;
  std::vector<std::unique_ptr<lane>>& lanes_;
  const worker_options& options_;
  logger& log_;
  hooks do_;
  std::mt19937_64 rng_{std::random_device{}()};
  event changed_;
  bool stopping_ = false;
  bool nothing_due_ = false;
  bool armed_ = false;
  clock::time_point next_watch_{};
  /// Joins are of no kind: whichever worker polls fires them.
  lane_backoff joins_{std::chrono::seconds(1)};
  pg::statement peek_, arm_, rescue_, move_due_, fire_joins_, lock_timeout_;
};

}  // namespace rowrunner
