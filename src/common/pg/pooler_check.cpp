#include "common/pg/pooler_check.hpp"

#include "queries/session.hpp"

namespace rowrunner::pg {
namespace {

constexpr int probes = 10;

}  // namespace

asio::awaitable<bool> behind_transaction_pooler(asio::any_io_executor executor, settings options) {
  options.pooled = true;  // Nothing is prepared on a connection that another client may get next.
  const auto pid = queries::backend_pid.statement();
  const auto begin = queries::begin.statement();
  const auto commit = queries::commit.statement();

  const auto one = co_await connection::open(executor, options);
  const auto first = (co_await one->run(together(with(pid)))).back().get_int(0, 0);
  if (first == one->backend_pid()) co_return false;

  const auto other = co_await connection::open(executor, options);
  // Beside other sessions that use the pool, both may get the process that they had by chance.
  for (int probe = 0; probe < probes; ++probe) {
    const auto theirs =
        (co_await other->run(together(with(begin), with(pid)))).back().get_int(0, 0);
    // Asked before `one` asks for a process again: there may be no second one.
    if (theirs == first) co_return true;
    const auto second = (co_await one->run(together(with(pid)))).back().get_int(0, 0);
    co_await other->run(together(with(commit)));
    if (second != first) co_return true;
    // A pooler that uses its processes in turn gives `other` the one that was free for longer.
    const auto later = (co_await other->run(together(with(pid)))).back().get_int(0, 0);
    if (later != theirs) co_return true;
  }
  co_return false;
}

}  // namespace rowrunner::pg
