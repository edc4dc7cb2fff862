#pragma once

#include <libpq-fe.h>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "common/pg/endpoint.hpp"
#include "common/pg/error.hpp"
#include "common/pg/readiness.hpp"
#include "common/pg/result.hpp"
#include "common/pg/statement.hpp"

namespace rowrunner::pg {

namespace asio = boost::asio;

struct settings {
  /// A URL or a key=value string of libpq; it may name several hosts.
  std::string url;
  /// Behind a transaction-mode pooler: no prepared statements, as each transaction may get another
  /// server connection.
  bool pooled = false;
  /// Names without a schema are the system's alone, whatever the search_path of the user or the
  /// database is. For statements that no foreign object may change.
  bool system_names_only = false;
  /// For each host address of the URL.
  std::chrono::milliseconds connect_timeout{5000};
  /// For each run(), from its first byte to its last answer.
  std::chrono::milliseconds answer_timeout{30000};
  /// How long the server works on one statement before it gives up (query_error 57014), unless it
  /// is set to less; 0: nine tenths of answer_timeout. A client that gives up first leaves a
  /// process of the server behind, which waits for a lock for as long as that is held, while the
  /// next connection adds another one.
  std::chrono::milliseconds statement_timeout{0};
  /// How long a statement waits for a lock (query_error 55P03), unless the server is set to less;
  /// 0: as the server is set.
  std::chrono::milliseconds lock_timeout{0};
  std::string application_name = "rowrunner";
};

struct notification {
  std::string channel;
  std::string payload;
};

/// One connection in pipeline mode, for one user at a time, on one thread.
class connection {
 public:
  /// Throws connect_failed. May be cancelled.
  static asio::awaitable<std::unique_ptr<connection>> open(asio::any_io_executor executor,
                                                           settings options);
  ~connection();
  connection(const connection&) = delete;
  connection& operator=(const connection&) = delete;

  /// Runs the calls in one round trip and, outside of BEGIN ... COMMIT, as one transaction. Gives
  /// one result per call. Throws query_error of the first call that the server refused, after which
  /// the connection is usable, or connection_lost, after which it is broken().
  ///
  /// A cancellation does not tear it: the answer is awaited, and the caller is cancelled at its
  /// next co_await.
  asio::awaitable<std::vector<result>> run(std::vector<call> calls);

  /// Runs a text of several statements without parameters, such as a migration. It sets no
  /// search_path: the transaction around it must. Throws and is cancelled as run().
  asio::awaitable<void> run_script(std::string sql);

  /// True as soon as take_notifications() has something, false if time ran out, after
  /// interrupt_wait(), or when a run() or the destructor came meanwhile. May be cancelled. Throws
  /// connection_lost if the server went away.
  asio::awaitable<bool> wait_notification(std::chrono::milliseconds at_most);
  void interrupt_wait();
  std::vector<notification> take_notifications();

  bool broken() const noexcept { return raw_ == nullptr; }
  /// True between BEGIN and COMMIT, also after a failure in between, and while a run() is in
  /// flight.
  bool in_transaction() const noexcept;
  /// False if the next user must not have it: it is broken, in a transaction, its prepared
  /// statements no longer fit the schema, or the server has become read-only.
  bool reusable() const noexcept { return !broken() && !in_transaction() && !outdated_; }
  int backend_pid() const noexcept { return PQbackendPID(raw_); }

 private:
  struct exchange;
  using clock = readiness::clock;

  connection(const asio::any_io_executor& executor, settings options);

  void start(const endpoint& target);
  asio::awaitable<std::optional<endpoint>> handshake(const endpoint& target);

  bool needs_settings() const noexcept;
  call settings_call() const;
  asio::awaitable<void> converse(exchange& x);
  asio::awaitable<void> step(exchange& x);
  std::size_t enqueue(exchange& x, std::size_t index);
  bool prepare(exchange& x, std::size_t index);
  bool flush(exchange& x);
  void harvest(exchange& x);
  void accept(exchange& x, result answer);
  void refuse(exchange& x, const result& answer);
  query_error refusal(const result& answer, std::string statement_name);
  asio::awaitable<std::optional<query_error>> converse(std::string script);
  void collect_notifications();
  bool read_idle();
  void hear(const PGresult* notice);
  bool reports_read_only() const;

  void close();
  [[noreturn]] void lose(const exchange& x, const std::string& reason);
  [[noreturn]] void lose(const std::string& reason, bool maybe_committed);
  std::string reason() const;

  settings options_;
  PGconn* raw_ = nullptr;
  std::shared_ptr<readiness> ready_;
  /// The text of each statement that the server has prepared, by name.
  std::unordered_map<std::string, std::string> prepared_;
  std::vector<notification> notifications_;
  /// The FATAL message that the server sent before it closed the connection, if any.
  std::string last_words_;
  std::string last_sqlstate_;
  bool outdated_ = false;
  bool has_settings_ = false;
  /// Counts waits and their interruptions; a wait whose number has passed is over. It is shared, as
  /// a wait may wake up after the connection is gone.
  std::shared_ptr<std::uint64_t> wait_number_ = std::make_shared<std::uint64_t>(0);
};

}  // namespace rowrunner::pg
