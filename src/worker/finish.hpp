#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "common/event.hpp"
#include "common/log.hpp"
#include "common/pg/session.hpp"
#include "worker/end_retries.hpp"
#include "worker/execute.hpp"
#include "worker/lease_book.hpp"

namespace rowrunner {

/// Writes verdicts into the database, all that have gathered in one transaction. While one
/// transaction is under way the next batch gathers by itself, so the batches are as large as the
/// load makes them. A few outcomes wait two milliseconds for others if jobs are about to be run;
/// otherwise a single job is ended at once.
///
/// Every write is conditional on the job's lease, and the answer says which jobs it counted for.
/// What the database refuses is tried again in smaller batches, behind the others (end_retries),
/// while its lease is kept.
class finisher {
 public:
  struct hooks {
    /// Outcomes were written.
    std::function<void()> wrote;
    /// Whether there are jobs here that wait for a free slot.
    std::function<bool()> more_to_come;
  };

  finisher(boost::asio::io_context& io, pg::session& session, lease_book& leases, logger& log,
           std::string worker_name, hooks on);

  void add(verdict v);
  /// Verdicts that are not written yet.
  std::size_t pending() const { return waiting_.size() + in_flight_ + retries_.size(); }

  /// Writes until close() was called and nothing is left.
  boost::asio::awaitable<void> run();
  void close();
  /// run() has returned.
  bool ended() const { return ended_; }

 private:
  using batch = std::vector<verdict>;
  /// The verdicts of one lane that take the same statement.
  struct group;
  /// How an attempt to write a batch ended.
  enum class attempt { written, unreachable, refused };
  /// For how long a write waits for somebody's lock: a new batch, or one that was refused before.
  enum class waits { patiently, hardly };

  boost::asio::awaitable<void> write_new();
  boost::asio::awaitable<void> write_again();
  boost::asio::awaitable<void> write_each(std::vector<batch> batches, waits how);
  boost::asio::awaitable<void> write_all(batch verdicts, waits how);
  boost::asio::awaitable<attempt> try_write(const batch& verdicts, waits how);
  boost::asio::awaitable<void> write_plain(pg::session::turn& turn, const batch& verdicts,
                                           std::vector<pg::call> calls);
  boost::asio::awaitable<void> write_with_effects(pg::session::turn& turn, const batch& verdicts,
                                                  std::vector<pg::call> calls);
  boost::asio::awaitable<batch> still_open(batch verdicts, bool& doubtful);
  boost::asio::awaitable<void> gather();
  boost::asio::awaitable<void> pause(std::chrono::steady_clock::duration time);

  std::vector<batch> take_new();
  void retry(batch verdicts);
  static std::vector<group> grouped(const batch& verdicts);
  pg::call call_for(const group& g);
  std::vector<pg::call> opening_calls(const std::vector<std::int64_t>& ended, waits how);
  void account(const group& g, const pg::result& answer);
  void account_one(const verdict& v, std::optional<std::string_view> answered_status);

  boost::asio::io_context& io_;
  pg::session& session_;
  lease_book& leases_;
  logger& log_;
  std::string worker_name_;
  hooks on_;
  std::mt19937_64 rng_{std::random_device{}()};
  event arrived_;
  batch waiting_;
  end_retries retries_;
  std::size_t in_flight_ = 0;
  bool closed_ = false;
  bool ended_ = false;
  end_refusal last_error_;
  /// Where the last write went, by the answer of write_settings.
  std::int64_t server_ = lease_book::unknown_server;
  pg::statement settings_, lock_timeout_, end_leases_, begin_, own_search_path_, commit_, rollback_;
};

}  // namespace rowrunner
