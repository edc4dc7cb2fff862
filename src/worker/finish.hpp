#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "common/event.hpp"
#include "common/log.hpp"
#include "common/pg/session.hpp"
#include "worker/changes.hpp"
#include "worker/effect_calls.hpp"
#include "worker/finish_group.hpp"
#include "worker/finish_plan.hpp"
#include "worker/lane.hpp"
#include "worker/lease_book.hpp"

namespace rowrunner {

/// Writes verdicts into the database: what has gathered without effects in one transaction, what
/// has effects in another one. While one transaction is under way the next batch gathers by itself,
/// so the batches are as large as the load makes them. A few verdicts wait two milliseconds for
/// others if jobs are about to be run; otherwise a single job is ended at once.
///
/// Every write is conditional on the job's lease, and the answer says which jobs it counted for.
/// What the database refuses is tried again in smaller batches, behind the others (finish_plan),
/// while its lease is kept.
class finisher {
 public:
  finisher(boost::asio::io_context& io, pg::session& session, lease_book& leases,
           const lane_list& lanes, changes& changed, logger& log, std::string worker_name);

  void add(verdict v);
  /// The lease of the job is lost: nothing is written about it. Counts as a fenced write.
  void drop(const running_job& job);
  /// Verdicts that are not written yet.
  std::size_t pending() const { return plan_.pending(); }
  const finish_times& times() const { return times_; }
  /// How often outcomes were written.
  std::uint64_t rounds() const { return rounds_; }

  /// Writes until close() was called and nothing is left.
  boost::asio::awaitable<void> run();
  void close();
  /// run() has returned.
  bool ended() const { return ended_; }

 private:
  using batch = finish_plan::batch;
  /// How long a write waits for a lock of another session: usually a second; 50 ms if it was
  /// refused before.
  enum class lock_wait { usual, brief };

  boost::asio::awaitable<void> gather();
  boost::asio::awaitable<void> write_each(std::vector<batch> batches, lock_wait how);
  boost::asio::awaitable<void> write(batch verdicts, lock_wait how);
  boost::asio::awaitable<write_attempt> try_write(batch& verdicts, lock_wait how);
  boost::asio::awaitable<batch> write_plain(pg::session::turn& turn, const batch& verdicts,
                                            std::vector<pg::call> calls);
  boost::asio::awaitable<batch> write_with_effects(pg::session::turn& turn, const batch& verdicts,
                                                   std::vector<pg::call> calls);
  boost::asio::awaitable<batch> still_open(batch verdicts, bool& answered);
  boost::asio::awaitable<void> pause(std::chrono::steady_clock::duration time);

  void retry_later(batch verdicts);
  void wrote();
  std::vector<pg::call> opening_calls(const std::vector<std::int64_t>& ended, lock_wait how);
  std::vector<pg::call> closing_calls(const std::vector<end_group>& groups,
                                      const std::vector<pg::result>& answers, std::size_t first,
                                      effect_calls& effects);
  std::vector<pg::call> reread_calls(const end_group& g) const;
  batch account(const std::vector<end_group>& groups, const std::vector<pg::result>& answers,
                std::size_t first);
  void account_one(const verdict& v, std::optional<std::string_view> answered_status);
  void note(const verdict& v, std::int64_t worker_counts::*what, log_level level,
            std::string_view text, const std::string& error = {});

  boost::asio::io_context& io_;
  pg::session& session_;
  lease_book& leases_;
  const lane_list& lanes_;
  changes& changed_;
  logger& log_;
  std::string worker_name_;
  std::mt19937_64 rng_{std::random_device{}()};
  event arrived_;
  finish_plan plan_;
  finish_times times_;
  std::uint64_t rounds_ = 0;
  bool ended_ = false;
  end_refusal last_error_;
  /// Where the last write went, by the answer of write_settings.
  std::int64_t server_ = lease_book::unknown_server;
  pg::statement settings_, lock_timeout_, end_leases_, attempts_of_failures_;
  pg::statement begin_, own_search_path_, commit_, rollback_;
};

}  // namespace rowrunner
