#pragma once

#include <memory>

#include "common/pg/session.hpp"

namespace rowrunner::pg {

/// A few sessions for many callers, each for one of them at a time. Callers get a free session in
/// the order in which they asked. Sessions connect when they are first used, so that a pool that is
/// hardly used keeps one connection, and again after their connection was lost.
class session_pool {
  struct core;

 public:
  /// A session for one caller, for as long as it keeps this.
  class loan {
   public:
    loan(loan&& other) noexcept = default;
    loan& operator=(loan&&) = delete;
    ~loan();

    session& operator*() const noexcept { return *open_; }

   private:
    friend class session_pool;
    explicit loan(std::shared_ptr<core> owner);

    std::shared_ptr<core> owner_;
    session* open_;
  };

  session_pool(asio::any_io_executor executor, const settings& options, int connections);
  ~session_pool();
  session_pool(const session_pool&) = delete;
  session_pool& operator=(const session_pool&) = delete;

  /// From now on it uses nothing that a transaction-mode pooler does not keep.
  void set_pooled();

  /// Of all its sessions.
  std::int64_t reconnects() const;

  /// As session::run_one.
  asio::awaitable<result> run_one(call one);

  /// Waits for a free session. May be cancelled.
  asio::awaitable<loan> borrow();

 private:
  static asio::awaitable<result> run(std::shared_ptr<core> shared, call one);
  static asio::awaitable<loan> lend(std::shared_ptr<core> shared);

  /// Shared with what runs, because Asio may destroy suspended coroutines after the pool.
  std::shared_ptr<core> core_;
};

}  // namespace rowrunner::pg
