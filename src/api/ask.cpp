#include "api/ask.hpp"

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>
#include <exception>
#include <optional>

#include "common/pg/error.hpp"

namespace rowrunner::api {
namespace {

template <typename Value>
struct outcome {
  std::optional<Value> value;
  std::exception_ptr failure;
};

// Ends without an exception, as the operator || would wait for the timer after one.
template <typename Value>
asio::awaitable<void> attempt(asio::awaitable<Value> work, outcome<Value>& out) {
  try {
    out.value.emplace(co_await std::move(work));
  } catch (const boost::system::system_error&) {
    // It was cancelled before it was sent.
  } catch (...) {
    out.failure = std::current_exception();
  }
}

template <typename Value>
asio::awaitable<Value> in_time(services& with, asio::awaitable<Value> work) {
  using namespace asio::experimental::awaitable_operators;
  asio::steady_timer timer(co_await asio::this_coro::executor, with.limits.database_time);
  outcome<Value> out;
  co_await (attempt(std::move(work), out) || timer.async_wait(asio::use_awaitable));
  if (out.failure) std::rethrow_exception(out.failure);
  if (!out.value) throw pg::connection_lost("the database is too busy to answer in time", false);
  co_return std::move(*out.value);
}

asio::awaitable<long_turn> wait_for(std::shared_ptr<pg::turn_queue> turns) {
  co_await turns->take();
  co_return long_turn(std::move(turns));
}

}  // namespace

asio::awaitable<long_turn> take_long_turn(services& with) {
  return in_time(with, wait_for(with.long_work));
}

asio::awaitable<pg::result> ask_database(services& with, pg::call one) {
  return in_time(with, with.database.run_one(std::move(one)));
}

asio::awaitable<pg::result> ask_about_caller(services& with, pg::call one) {
  return in_time(with, with.caller_database.run_one(std::move(one)));
}

asio::awaitable<pg::session_pool::loan> borrow_session(services& with) {
  return in_time(with, with.database.borrow());
}

}  // namespace rowrunner::api
