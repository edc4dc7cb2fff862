#pragma once

#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "common/log.hpp"
#include "common/pg/session.hpp"
#include "worker/claim_remedy.hpp"
#include "worker/lane.hpp"
#include "worker/lease_book.hpp"

namespace rowrunner {

/// What one claim brought, as it came: jobs are made of it by claimer::read, which takes a while.
struct claimed : claim_facts {
  pg::result answer;
  std::int64_t lease = 0;
  /// The last entry that yielded a job; after a claim that left entries behind, the last one seen.
  queue_position last;
  /// By the clock of the server, in microseconds since 2000.
  std::int64_t taken_at = 0;
  std::chrono::steady_clock::time_point answered{};
};

/// What every job is given for its handler.
struct handler_tools {
  job_writes* writes = nullptr;
  blocking_pool* pool = nullptr;
};

/// Takes jobs out of the queue, each batch under a new lease.
class claimer {
 public:
  claimer(pg::session& session, lease_book& leases, logger& log, std::string worker_name,
          handler_tools tools);

  /// Up to `at_most` jobs for the lane. Throws pg::error.
  boost::asio::awaitable<claimed> claim(lane& lane, int at_most);
  /// The jobs of a claim, in the order of the queue; none if its lease was lost meanwhile.
  std::vector<job_ptr> read(lane& lane, const claimed& got);

  /// Releases what was taken by claims whose answer was lost or came too late. The server may still
  /// be executing such a claim, so the call is repeated once a second until the lease would have
  /// expired. Throws pg::error.
  boost::asio::awaitable<void> release_unanswered();

 private:
  using clock = claim_state::clock;

  boost::asio::awaitable<claimed> take(lane& lane, queue_position behind, int at_most,
                                       std::int64_t lease);
  boost::asio::awaitable<claimed> take_by(claim_mode mode, lane& lane, queue_position behind,
                                          int at_most, std::int64_t lease);
  boost::asio::awaitable<std::vector<pg::result>> run(lane& lane, std::vector<pg::call> calls,
                                                      std::int64_t lease);
  void note_times(lane& lane, clock::time_point begun, const claimed& got);
  void report_passed_over(lane& lane, int jobs, std::string_view reason);

  pg::session& session_;
  lease_book& leases_;
  logger& log_;
  std::string worker_name_;
  pg::statement turn_;
  pg::statement settings_;
  pg::statement write_settings_;
  pg::statement claim_free_;
  pg::statement claim_each_;
  handler_tools tools_;
  struct unanswered_claim {
    rowrunner::lane* lane;
    std::int64_t lease;
    clock::time_point since;
  };
  std::vector<unanswered_claim> unanswered_;
  clock::time_point next_release_{};
  /// What the claims of one kind have left to be known by the next ones.
  struct lane_notes {
    /// Where the last claim waited for its turn.
    int turn_queue = 0;
    /// Until then claims do not wait for a turn: another session holds the lock.
    clock::time_point turns_skipped_until{};
    /// Jobs passed over since the last report of it.
    int passed_over = 0;
    clock::time_point next_report{};
  };
  std::map<const lane*, lane_notes> notes_;
};

}  // namespace rowrunner
