#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "api/job_state.hpp"
#include "common/event.hpp"
#include "common/log.hpp"
#include "common/pg/session.hpp"

namespace rowrunner::api {

/// Reads the jobs that viewers watch and tells viewers what changed. It costs one statement for
/// each watched kind and tick, in one round trip, whatever the number of viewers and jobs is; with
/// no viewer nothing is read. It uses nothing that a transaction pooler does not keep.
class job_watch {
 public:
  using state = std::shared_ptr<const job_state>;
  struct board;

  /// How often watched jobs are read.
  static constexpr std::chrono::milliseconds tick{400};
  /// New viewers need not wait for the next tick, but many who come at once are served together.
  static constexpr std::chrono::milliseconds shortest_gap{50};

  struct change {
    state newest;
    /// Grows with every change that this server saw.
    std::uint64_t number = 0;
  };

  /// A connection that watches some jobs, for as long as this exists. One that does not take its
  /// changes costs a mark for each of its jobs, as only the newest state of each is kept.
  class viewer {
   public:
    /// `after`: it knows all changes up to this number.
    viewer(const job_watch& of, const std::vector<job_key>& jobs, std::uint64_t after = 0);
    ~viewer();
    viewer(const viewer&) = delete;
    viewer& operator=(const viewer&) = delete;

    /// Is set when there is something to take.
    event woken;
    /// The newest states of jobs that changed since the last call; at first all, as soon as they
    /// have been read.
    std::vector<change> take();

   private:
    friend class job_watch;
    /// Shared, because Asio may destroy suspended coroutines, and viewers in them, after the watch.
    const std::shared_ptr<board> board_;
    std::set<job_key> jobs_;
    std::set<job_key> changed_;
  };

  job_watch(const boost::asio::any_io_executor& executor, const pg::settings& database,
            std::shared_ptr<logger> log);

  /// Before run(): it uses nothing that a transaction-mode pooler does not keep.
  void set_pooled() { session_.set_pooled(); }

  /// For ever.
  boost::asio::awaitable<void> run();

  /// Names this server's numbers of changes, which mean nothing to another.
  const std::string& epoch() const { return epoch_; }
  std::uint64_t newest_change() const;
  std::size_t watched() const;
  std::size_t viewers() const;
  std::int64_t reconnects() const { return session_.reconnects(); }

 private:
  using ids = std::vector<std::string>;

  boost::asio::awaitable<void> read_all();
  boost::asio::awaitable<void> read_kinds();
  boost::asio::awaitable<void> read_each(std::map<std::string, ids> all);
  boost::asio::awaitable<void> read_together(std::map<std::string, ids> wanted);
  std::map<std::string, ids> wanted_by_kind() const;
  const served_kind* kind_named(const std::string& name) const;
  void note(const std::string& kind, const ids& wanted, const pg::result& rows);
  void note(job_state seen);
  void note_gone(job_key which);

  const boost::asio::any_io_executor executor_;
  const std::shared_ptr<logger> log_;
  const std::string epoch_;
  pg::session session_;
  std::vector<served_kind> kinds_;
  std::chrono::steady_clock::time_point kinds_read_{};
  /// They were read after everything that is wanted now was.
  bool kinds_are_new_ = false;
  const std::shared_ptr<board> board_;
};

/// What is watched, by whom, and how it was last seen.
struct job_watch::board {
  struct entry {
    change newest;
    std::set<viewer*> viewers;
  };

  explicit board(const boost::asio::any_io_executor& on) : executor(on), wanted(on) {}

  const boost::asio::any_io_executor executor;
  std::map<job_key, entry> jobs;
  std::uint64_t changes = 0;
  std::size_t viewers = 0;
  /// There is a job that was never read.
  event wanted;
};

}  // namespace rowrunner::api
