#include "common/pg/pool.hpp"

#include <algorithm>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>
#include <exception>

#include "common/pg/error.hpp"

namespace rowrunner::pg {
namespace {

/// Also counts down if the coroutine is destroyed.
struct counted {
  explicit counted(int& callers) : callers_(callers) { ++callers_; }
  ~counted() { --callers_; }
  counted(const counted&) = delete;
  counted& operator=(const counted&) = delete;

 private:
  int& callers_;
};

}  // namespace

struct pool::outcome {
  std::vector<result> results{};
  std::exception_ptr failure{};
  bool late = false;
};

pool::pool(const asio::any_io_executor& executor, const settings& options, std::size_t size) {
  members_.resize(size);
  for (auto& each : members_) each.on = std::make_unique<session>(executor, options);
}

// Ends without an exception, as the operator || would wait for the timer after one.
asio::awaitable<void> pool::attempt(session& on, std::vector<call> calls, outcome& out) {
  try {
    out.results = co_await on.run(std::move(calls));
  } catch (const boost::system::system_error&) {
    out.late = true;
  } catch (...) {
    out.failure = std::current_exception();
  }
}

asio::awaitable<std::vector<result>> pool::run(std::vector<call> calls,
                                               std::chrono::milliseconds at_most) {
  using namespace asio::experimental::awaitable_operators;
  auto& chosen = *std::min_element(
      members_.begin(), members_.end(),
      [](const member& one, const member& other) { return one.callers < other.callers; });
  const counted caller(chosen.callers);
  asio::steady_timer timer(co_await asio::this_coro::executor, at_most);
  outcome out;
  co_await (attempt(*chosen.on, std::move(calls), out) || timer.async_wait(asio::use_awaitable));
  if (out.failure) std::rethrow_exception(out.failure);
  if (out.late) throw connection_lost("the database is too busy to answer in time", false);
  co_return std::move(out.results);
}

asio::awaitable<result> pool::run_one(call one, std::chrono::milliseconds at_most) {
  auto results = co_await run(together(std::move(one)), at_most);
  co_return std::move(results.front());
}

}  // namespace rowrunner::pg
