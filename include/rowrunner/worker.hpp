#pragma once

#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <rowrunner/job.hpp>
#include <rowrunner/measures.hpp>
#include <rowrunner/outcome.hpp>
#include <rowrunner/retry.hpp>
#include <rowrunner/services.hpp>
#include <string>
#include <vector>

namespace rowrunner {

class logger;

using coroutine_handler = std::function<boost::asio::awaitable<outcome>(job&)>;
using blocking_handler = std::function<outcome(blocking_job&)>;

/// How the jobs of one kind are run. In a program made with run_worker, flags and variables
/// override these values.
struct kind_options {
  std::string kind;
  /// Jobs of this kind that run at the same time in this process.
  int max_concurrent = 10;
  /// A job that runs longer is stopped and charged an attempt. Zero: no limit.
  std::chrono::milliseconds timeout{0};
  retry_policy retry;
  /// How long a claim of this kind lives without a heartbeat, from a second to a day. Zero: as
  /// worker_options says.
  std::chrono::milliseconds lease{0};
  /// The columns of the job table that the handler reads.
  std::vector<std::string> columns;
};

struct worker_options {
  /// A libpq URL or key=value string.
  std::string database_url;
  /// Set behind a transaction-mode pooler: no LISTEN, no prepared statements; jobs are found by
  /// polling.
  bool pooled = false;
  /// The name in locked_by; empty: host, process and a random part.
  std::string name;
  /// How long a claim lives without a heartbeat, unless its kind says otherwise: a lost worker's
  /// jobs run again after this.
  std::chrono::milliseconds lease{10'000};
  std::chrono::milliseconds poll_min{700};
  std::chrono::milliseconds poll_max{1'000};
  /// From the first stop signal to the end of the process. Unfinished jobs go back uncharged.
  std::chrono::milliseconds shutdown_grace{8'000};
  /// Return when nothing is due and nothing runs.
  bool drain = false;
  /// Return after so many jobs, or so long; zero: no limit.
  std::int64_t max_jobs = 0;
  std::chrono::milliseconds max_time{0};
  /// The log warns of sessions that have blocked VACUUM for so long; zero: never.
  std::chrono::milliseconds vacuum_blocker_alarm{300'000};
  /// The connections that all handlers share for their own statements (services::query), besides
  /// the four of the engine. They are made when they are first used.
  int handler_connections = 2;
  /// How long the database may take to answer before the worker connects anew. The server ends a
  /// statement (of a handler, an effect, a claim) sooner, after nine tenths of that time.
  std::chrono::milliseconds answer_timeout{30'000};
  /// Names without a schema in handlers' own statements are the system's alone, whatever the
  /// search_path of the role is.
  bool system_names_only = false;
};

/// The name of a worker that was given none: host, process and a random part.
std::string default_worker_name();

/// Claims jobs, runs them, ends them: one process, one thread for the engine and the coroutine
/// handlers, and a pool for blocking ones.
class worker {
 public:
  worker(worker_options options, std::shared_ptr<logger> log = nullptr);
  ~worker();
  worker(const worker&) = delete;
  worker& operator=(const worker&) = delete;

  /// Each kind once, before run(). Throws std::invalid_argument for options that make no sense.
  void add(kind_options options, coroutine_handler handler);
  void add_blocking(kind_options options, blocking_handler handler);

  /// Runs until stop(), SIGTERM or SIGINT, or the end that the options name. Throws
  /// std::runtime_error if it cannot start: no database, a schema that does not serve this binary,
  /// an unknown kind or column, or no kind whose table is there and may be used. If other kinds
  /// remain, such a kind is left out with a warning. Once it has started, a database that goes away
  /// is waited for.
  void run();

  /// As the first signal does: no more claims, running jobs get the grace period. From any thread;
  /// calling it twice ends the grace period.
  void stop();

  /// After run() has returned.
  worker_counts counts() const;

  /// The same per kind, and how long it took. While run() runs, from its thread alone
  /// (handler_services().executor()).
  worker_measures measures() const;

  /// For the handlers, which are made before run(). They live as long as the worker; what uses them
  /// must not.
  services& handler_services() const;

 private:
  class impl;
  std::unique_ptr<impl> impl_;
};

}  // namespace rowrunner
