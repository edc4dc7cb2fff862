#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <memory>
#include <vector>

#include "common/pg/connection.hpp"
#include "common/pg/result.hpp"
#include "common/pg/statement.hpp"
#include "common/pg/turn_queue.hpp"

namespace rowrunner::pg {

/// A connection that comes back. Many coroutines may use it; they take turns in the order in which
/// they asked, except that an urgent one is next. It does not retry: the caller that gets
/// connection_lost or connect_failed decides whether and when to ask again, and the next turn opens
/// a new connection.
class session {
  struct core;

 public:
  /// The exclusive use of the connection, for a transaction of several round trips. At its end the
  /// next caller gets the connection; one that is broken or still in a transaction is closed
  /// instead, which makes the server roll back.
  class turn {
   public:
    turn(turn&& other) noexcept = default;
    turn& operator=(turn&& other) noexcept;
    ~turn();

    connection& operator*() const noexcept;
    connection* operator->() const noexcept { return &**this; }

   private:
    friend class session;
    explicit turn(std::shared_ptr<core> owner) : core_(std::move(owner)) {}
    void release() noexcept;

    std::shared_ptr<core> core_;
  };

  using urgency = pg::urgency;

  session(asio::any_io_executor executor, settings options);
  ~session();
  session(const session&) = delete;
  session& operator=(const session&) = delete;

  /// The statements run on every new connection before anything else, as LISTEN.
  void on_connect(std::vector<statement> statements);

  /// From now on it uses nothing that a transaction-mode pooler does not keep.
  void set_pooled();

  /// How many connections were opened in place of one that was lost.
  std::int64_t reconnects() const;

  /// Both throw connect_failed, connection_lost or query_error. May be cancelled up to the moment
  /// when the calls are sent.
  asio::awaitable<std::vector<result>> run(std::vector<call> calls);
  asio::awaitable<result> run_one(call one);

  /// Waits for the turn and for the connection. Throws connect_failed or what the statements of
  /// on_connect throw. May be cancelled. At most one caller at a time may ask to be next, so that
  /// the others get every second turn.
  asio::awaitable<turn> acquire(urgency how = urgency::in_order);

  /// Waits for a NOTIFY but lets other callers use the connection meanwhile. True if
  /// take_notifications() has something, false if time ran out or after close().
  asio::awaitable<bool> wait_notification(std::chrono::milliseconds at_most);
  std::vector<notification> take_notifications();

  /// Closes the connection, now or, if another caller has the turn, when the turn ends. Waiting
  /// callers keep waiting; a later turn opens a new connection.
  void close();

 private:
  static asio::awaitable<turn> take(std::shared_ptr<core> shared, urgency how);
  static asio::awaitable<turn> wait_for_turn(std::shared_ptr<core> shared, urgency how);
  static asio::awaitable<void> connect(std::shared_ptr<core> shared);

  std::shared_ptr<core> core_;
};

}  // namespace rowrunner::pg
