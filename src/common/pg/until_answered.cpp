#include "common/pg/until_answered.hpp"

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <random>

#include "common/pg/backoff.hpp"
#include "common/pg/error.hpp"

namespace rowrunner::pg {

asio::awaitable<std::vector<result>> until_answered(session& on, std::vector<call> calls,
                                                    std::function<void()> before_each) {
  asio::steady_timer timer(co_await asio::this_coro::executor);
  backoff pauses;
  for (;;) {
    before_each();
    try {
      auto copy = calls;
      co_return co_await on.run(std::move(copy));
    } catch (const query_error& e) {
      if (classify(e.sqlstate()) == error_class::permanent) throw;
    } catch (const error&) {
    }
    std::mt19937_64 rng(std::random_device{}());
    timer.expires_after(pauses.next(rng));
    co_await timer.async_wait(asio::use_awaitable);
  }
}

}  // namespace rowrunner::pg
