#pragma once

#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "common/log.hpp"
#include "common/pg/session.hpp"
#include "worker/claim_remedy.hpp"
#include "worker/lane.hpp"
#include "worker/lease_book.hpp"

namespace rowrunner {

/// What one claim brought, as it came: jobs are made of it by claimer::read, which takes a while.
struct claimed {
  pg::result answer;
  std::int64_t lease = 0;
  int jobs = 0;
  /// Entries seen of those asked for, those without a job included, and the last of them.
  int seen = 0;
  int asked = 0;
  queue_position last;
  /// Whether it started from the front of the queue.
  bool from_front = false;
  /// Whether entries yielded no job although it went around locked ones: another session may have
  /// locked their jobs. A stale or early entry looks the same, but is gone at the next walk.
  bool maybe_locked = false;
};

/// Takes jobs out of the queue, each batch under a new lease.
class claimer {
 public:
  claimer(pg::session& session, lease_book& leases, logger& log, std::string worker_name,
          std::chrono::milliseconds lease);

  /// Up to `at_most` jobs for the lane. Throws pg::error.
  boost::asio::awaitable<claimed> claim(lane& lane, int at_most);
  /// The jobs of a claim, in the order of the queue; none if its lease was lost meanwhile.
  std::vector<job_ptr> read(lane& lane, const claimed& got);

  /// Gives back what was taken by claims whose answer was lost or came too late. The server may
  /// still be at such a claim, so it is asked again, once a second, for as long as the lease would
  /// have lived. Throws pg::error.
  boost::asio::awaitable<void> abandon_doubtful();

 private:
  boost::asio::awaitable<claimed> take(lane& lane, queue_position behind, int at_most,
                                       std::int64_t lease);
  boost::asio::awaitable<claimed> take_by(claim_mode mode, lane& lane, queue_position behind,
                                          int at_most, std::int64_t lease);
  boost::asio::awaitable<std::vector<pg::result>> run(lane& lane, std::vector<pg::call> calls,
                                                      std::int64_t lease);
  void report_passed_over(lane& lane, int jobs, std::string_view reason);

  pg::session& session_;
  lease_book& leases_;
  logger& log_;
  std::string worker_name_;
  std::chrono::milliseconds lease_;
  pg::statement turn_;
  pg::statement settings_;
  pg::statement write_settings_;
  pg::statement claim_each_;
  struct doubtful_claim {
    rowrunner::lane* lane;
    std::int64_t lease;
    lane::clock::time_point since;
  };
  std::vector<doubtful_claim> doubtful_;
  lane::clock::time_point next_abandon_{};
};

}  // namespace rowrunner
