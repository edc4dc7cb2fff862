#include "common/pg/session.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace rowrunner::pg {

/// Shared with every turn, because Asio may destroy suspended coroutines, and the turns in them,
/// after the session is gone.
struct session::core {
  core(asio::any_io_executor ex, settings given)
      : executor(std::move(ex)), options(std::move(given)), turns(executor, 1) {}

  asio::any_io_executor executor;
  settings options;
  std::vector<statement> first_statements{};

  std::unique_ptr<connection> open{};
  std::vector<notification> notifications{};
  turn_queue turns;
  bool close_at_release = false;
  int closes = 0;
  /// The last connection broke.
  bool lost = false;
  std::int64_t reconnects = 0;

  void keep_notifications() {
    if (!open) return;
    auto fresh = open->take_notifications();
    std::move(fresh.begin(), fresh.end(), std::back_inserter(notifications));
  }

  void drop() {
    keep_notifications();
    if (open && open->broken()) lost = true;
    open.reset();
  }
};

session::turn& session::turn::operator=(turn&& other) noexcept {
  if (this != &other) {
    release();
    core_ = std::move(other.core_);
  }
  return *this;
}

session::turn::~turn() { release(); }

connection& session::turn::operator*() const noexcept { return *core_->open; }

void session::turn::release() noexcept {
  const auto owner = std::exchange(core_, nullptr);
  if (!owner) return;
  if (owner->open && !owner->open->broken() && owner->open->in_transaction()) {
    spdlog::warn("postgres: closing a connection that was left inside a transaction");
  }
  owner->keep_notifications();
  if (owner->open && (owner->close_at_release || !owner->open->reusable())) owner->drop();
  owner->close_at_release = false;
  owner->turns.pass_on();
}

session::session(asio::any_io_executor executor, settings options)
    : core_(std::make_shared<core>(std::move(executor), std::move(options))) {}

session::~session() { close(); }

void session::on_connect(std::vector<statement> statements) {
  core_->first_statements = std::move(statements);
}

std::int64_t session::reconnects() const { return core_->reconnects; }

void session::set_pooled() {
  core_->options.pooled = true;
  close();
}

void session::close() {
  ++core_->closes;
  if (core_->turns.free() > 0) {
    core_->drop();
    return;
  }
  core_->close_at_release = true;
  if (core_->open) core_->open->interrupt_wait();
}

asio::awaitable<session::turn> session::wait_for_turn(std::shared_ptr<core> shared, urgency how) {
  if (shared->turns.try_take()) co_return turn(shared);
  // A wait for notifications makes room.
  if (shared->open) shared->open->interrupt_wait();
  co_await shared->turns.take(how);
  co_return turn(shared);
}

asio::awaitable<void> session::connect(std::shared_ptr<core> shared) {
  auto fresh = co_await connection::open(shared->executor, shared->options);
  const auto statements = shared->first_statements;
  if (!statements.empty()) {
    std::vector<call> calls(statements.begin(), statements.end());
    co_await fresh->run(std::move(calls));
  }
  shared->open = std::move(fresh);
  if (std::exchange(shared->lost, false)) ++shared->reconnects;
}

asio::awaitable<session::turn> session::take(std::shared_ptr<core> shared, urgency how) {
  turn mine = co_await wait_for_turn(shared, how);
  if (!shared->open) co_await connect(shared);
  co_return mine;
}

asio::awaitable<session::turn> session::acquire(urgency how) { return take(core_, how); }

asio::awaitable<std::vector<result>> session::run(std::vector<call> calls) {
  const turn mine = co_await acquire();
  co_return co_await mine->run(std::move(calls));
}

asio::awaitable<result> session::run_one(call one) {
  auto results = co_await run(together(std::move(one)));
  co_return std::move(results.front());
}

asio::awaitable<bool> session::wait_notification(std::chrono::milliseconds at_most) {
  const auto shared = core_;
  const int closes = shared->closes;
  const auto patience = std::min<std::chrono::milliseconds>(at_most, std::chrono::hours(24));
  const auto deadline = std::chrono::steady_clock::now() + patience;
  for (;;) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    {
      const turn mine = co_await take(shared, urgency::in_order);
      // Another caller may have come while this turn was taken or the connection was opened; and
      // what came with the answer to a statement has left the connection already.
      const bool at_once = shared->turns.has_waiters() || !shared->notifications.empty();
      co_await mine->wait_notification(at_once ? std::chrono::milliseconds(0) : left);
      shared->keep_notifications();
    }
    if (!shared->notifications.empty()) co_return true;
    if (left.count() <= 0 || shared->closes != closes) co_return false;
  }
}

std::vector<notification> session::take_notifications() {
  core_->keep_notifications();
  return std::exchange(core_->notifications, {});
}

}  // namespace rowrunner::pg
