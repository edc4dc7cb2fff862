#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <rowrunner/job.hpp>
#include <rowrunner/log.hpp>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace rowrunner {

/// As text; nothing means NULL.
using query_params = std::vector<std::optional<std::string>>;

struct query_result {
  /// Each field as the server writes it; nothing means NULL.
  std::vector<std::vector<std::optional<std::string>>> rows;
  /// The rows that an INSERT, UPDATE, DELETE or SELECT touched.
  std::int64_t affected = 0;
};

/// A statement of a handler did not run.
struct database_error : std::runtime_error {
  database_error(const std::string& what, std::string state, bool may_pass, bool unknown_end)
      : std::runtime_error(what),
        sqlstate(std::move(state)),
        temporary(may_pass),
        maybe_committed(unknown_end) {}

  std::string sqlstate;
  /// The connection was lost, or the same statement may succeed later.
  bool temporary;
  /// The answer was lost: the statement may have taken effect.
  bool maybe_committed;
};

/// Runs handlers' own statements. In a worker it is a pool of asynchronous sessions that all
/// handlers share; a test of a handler may give answers of its own.
class database {
 public:
  database() = default;
  virtual ~database() = default;
  database(const database&) = delete;
  database& operator=(const database&) = delete;

  /// In a transaction of its own. Throws database_error.
  virtual boost::asio::awaitable<query_result> query(std::string sql, query_params params) = 0;
};

/// What a worker process gives every handler when the handler is made, before the first claim. It
/// may be copied. What else a handler needs it gets from its factory, which can capture it.
class services {
 public:
  services(boost::asio::any_io_executor executor, std::shared_ptr<database> db,
           std::shared_ptr<const logger> log);

  /// The worker's only thread: coroutine handlers run there, and may make timers and sockets on it.
  const boost::asio::any_io_executor& executor() const { return executor_; }

  /// Runs one statement in a transaction of its own, as the role of the worker. Callers wait for a
  /// free connection in the order in which they asked; no connection is held between statements. It
  /// is not fenced by the job's lease: what belongs to the job is written by effects. While it
  /// waits for a lock, others get the connection now and then. Throws database_error: temporary if
  /// it takes longer than worker_options::answer_timeout allows. May be cancelled until the
  /// statement is sent.
  ///   const auto found = co_await services.query("SELECT … WHERE id = $1", id);
  template <typename... Params>
  requires(std::is_constructible_v<std::optional<std::string>, Params>&&...)
      boost::asio::awaitable<query_result> query(std::string sql, Params&&... params)
  const { return query(std::move(sql), collect(std::forward<Params>(params)...)); }
  boost::asio::awaitable<query_result> query(std::string sql, query_params params) const {
    return database_->query(std::move(sql), std::move(params));
  }

  /// For statements that may run twice, such as reads: a database that went away, or a table that
  /// is locked, is no failure of the job, so the statement is retried for as long as the job may
  /// run. Throws database_error only for what would stay wrong, and job_stopped.
  template <typename... Params>
  requires(std::is_constructible_v<std::optional<std::string>, Params>&&...)
      boost::asio::awaitable<query_result> idempotent_query(const job_view& self, std::string sql,
                                                            Params&&... params)
  const { return idempotent_query(self, std::move(sql), collect(std::forward<Params>(params)...)); }
  boost::asio::awaitable<query_result> idempotent_query(const job_view& self, std::string sql,
                                                        query_params params) const {
    return until_answered(database_, self, std::move(sql), std::move(params));
  }

  /// The worker's log, without and with the fields of a job (kind, job, attempt).
  event_log log() const { return event_log(log_); }
  event_log log(const job_view& self) const;

 private:
  // Not a braced list at the call, which g++ 12 destroys twice inside of a co_await.
  template <typename... Params>
  static query_params collect(Params&&... params) {
    query_params out;
    out.reserve(sizeof...(params));
    (out.emplace_back(std::forward<Params>(params)), ...);
    return out;
  }
  static boost::asio::awaitable<query_result> until_answered(std::shared_ptr<database> db,
                                                             job_view self, std::string sql,
                                                             query_params params);

  boost::asio::any_io_executor executor_;
  std::shared_ptr<database> database_;
  std::shared_ptr<const logger> log_;
};

}  // namespace rowrunner
