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

  /// A session out of `idle`; its holder has taken a turn, so there is one.
  struct borrowed {
    explicit borrowed(core& from) : owner(from), open(owner.idle.back()) { owner.idle.pop_back(); }
    ~borrowed() {
      owner.idle.push_back(open);
      owner.turns.pass_on();
    }
    borrowed(const borrowed&) = delete;
    borrowed& operator=(const borrowed&) = delete;

    core& owner;
    session* open;
  };
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

asio::awaitable<result> session_pool::run(std::shared_ptr<core> shared, call one) {
  co_await shared->turns.take();
  const core::borrowed mine(*shared);
  co_return co_await mine.open->run_one(std::move(one));
}

asio::awaitable<result> session_pool::run_one(call one) { return run(core_, std::move(one)); }

}  // namespace rowrunner::pg
