#include "common/pg/session_pool.hpp"

#include <stdexcept>

#include "common/pg/turn_queue.hpp"

namespace rowrunner::pg {

struct session_pool::core {
  core(const asio::any_io_executor& executor, const settings& options, int connections)
      : turns(executor, connections) {
    for (int i = 0; i < connections; ++i) {
      idle.push_back(all.emplace_back(std::make_unique<session>(executor, options)).get());
    }
  }

  turn_queue turns;
  std::vector<std::unique_ptr<session>> all;
  /// The one that was used last is at the end, and is used next.
  std::vector<session*> idle;
};

session_pool::session_pool(asio::any_io_executor executor, const settings& options,
                           int connections) {
  if (connections < 1) throw std::invalid_argument("a pool needs at least one connection");
  core_ = std::make_shared<core>(executor, options, connections);
}

session_pool::~session_pool() {
  for (const auto& each : core_->all) each->close();
}

void session_pool::set_pooled() {
  for (const auto& each : core_->all) each->set_pooled();
}

std::int64_t session_pool::reconnects() const {
  std::int64_t sum = 0;
  for (const auto& each : core_->all) sum += each->reconnects();
  return sum;
}

session_pool::loan::loan(std::shared_ptr<core> owner)
    : owner_(std::move(owner)), open_(owner_->idle.back()) {
  owner_->idle.pop_back();
}

session_pool::loan::~loan() {
  if (!owner_) return;
  owner_->idle.push_back(open_);
  owner_->turns.pass_on();
}

// A caller that has taken a turn finds an idle session.
asio::awaitable<session_pool::loan> session_pool::lend(std::shared_ptr<core> shared) {
  co_await shared->turns.take();
  co_return loan(std::move(shared));
}

asio::awaitable<session_pool::loan> session_pool::borrow() { return lend(core_); }

asio::awaitable<result> session_pool::run(std::shared_ptr<core> shared, call one) {
  const auto mine = co_await lend(shared);
  co_return co_await (*mine).run_one(std::move(one));
}

asio::awaitable<result> session_pool::run_one(call one) { return run(core_, std::move(one)); }

}  // namespace rowrunner::pg
