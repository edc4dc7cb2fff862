#include "common/pg/session.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>
#include <iterator>
#include <list>
#include <utility>

namespace rowrunner::pg {

/// Shared with every turn, because Asio may destroy suspended coroutines, and the turns in them,
/// after the session is gone.
struct session::core {
  struct waiter {
    explicit waiter(const asio::any_io_executor& executor)
        : bell(executor, asio::steady_timer::time_point::max()) {}
    asio::steady_timer bell;
    bool called = false;
  };

  core(asio::any_io_executor ex, settings given)
      : executor(std::move(ex)), options(std::move(given)) {}

  asio::any_io_executor executor;
  settings options;
  std::vector<statement> first_statements{};
  std::function<void(int)> tell{};

  std::unique_ptr<connection> open{};
  std::vector<notification> notifications{};
  bool taken = false;
  bool close_at_release = false;
  std::list<waiter> waiters{};
  int opened = 0;
  int closes = 0;

  // The turn passes directly to the next waiter and is never free in between, so that a newcomer
  // cannot overtake.
  void pass_on() {
    const auto next = std::find_if(waiters.begin(), waiters.end(),
                                   [](const waiter& each) { return !each.called; });
    taken = next != waiters.end();
    if (!taken) return;
    next->called = true;
    next->bell.cancel();
  }

  void keep_notifications() {
    if (!open) return;
    auto fresh = open->take_notifications();
    std::move(fresh.begin(), fresh.end(), std::back_inserter(notifications));
  }

  void drop() {
    keep_notifications();
    open.reset();
  }

  /// A waiter that is removed whatever ends the wait: the call, a cancellation, or
  /// the destruction of the whole coroutine.
  struct queued_waiter {
    queued_waiter(core& in, urgency how)
        : owner(in),
          at(owner.waiters.emplace(
              how == urgency::next ? owner.waiters.begin() : owner.waiters.end(), owner.executor)) {
    }
    ~queued_waiter() {
      const bool unused_call = at->called && !accepted;
      owner.waiters.erase(at);
      if (unused_call) owner.pass_on();
    }
    queued_waiter(const queued_waiter&) = delete;
    queued_waiter& operator=(const queued_waiter&) = delete;

    core& owner;
    std::list<waiter>::iterator at;
    bool accepted = false;
  };
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
  owner->pass_on();
}

session::session(asio::any_io_executor executor, settings options)
    : core_(std::make_shared<core>(std::move(executor), std::move(options))) {}

session::~session() { close(); }

void session::on_connect(std::vector<statement> statements, std::function<void(int)> tell) {
  core_->first_statements = std::move(statements);
  core_->tell = std::move(tell);
}

void session::set_pooled() {
  core_->options.pooled = true;
  close();
}

int session::reconnects() const noexcept { return std::max(0, core_->opened - 1); }

void session::close() {
  ++core_->closes;
  if (!core_->taken) {
    core_->drop();
    return;
  }
  core_->close_at_release = true;
  if (core_->open) core_->open->interrupt_wait();
}

asio::awaitable<session::turn> session::wait_for_turn(std::shared_ptr<core> shared, urgency how) {
  if (!std::exchange(shared->taken, true)) co_return turn(shared);
  // A wait for notifications makes room.
  if (shared->open) shared->open->interrupt_wait();
  core::queued_waiter mine(*shared, how);
  co_await mine.at->bell.async_wait(asio::as_tuple(asio::use_awaitable));
  if (!mine.at->called) throw boost::system::system_error(asio::error::operation_aborted);
  mine.accepted = true;
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
  ++shared->opened;
  if (shared->tell) shared->tell(shared->opened);
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
      const bool at_once = !shared->waiters.empty() || !shared->notifications.empty();
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
