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

struct outcome {
  std::optional<pg::result> answer;
  std::exception_ptr failure;
};

// Ends without an exception, as the operator || would wait for the timer after one.
asio::awaitable<void> attempt(pg::session_pool& database, pg::call one, outcome& out) {
  try {
    out.answer = co_await database.run_one(std::move(one));
  } catch (const boost::system::system_error&) {
    // It was cancelled before it was sent.
  } catch (...) {
    out.failure = std::current_exception();
  }
}

}  // namespace

asio::awaitable<pg::result> ask_database(services& with, pg::call one) {
  using namespace asio::experimental::awaitable_operators;
  asio::steady_timer timer(co_await asio::this_coro::executor, with.limits.database_time);
  outcome out;
  co_await (attempt(with.database, std::move(one), out) || timer.async_wait(asio::use_awaitable));
  if (out.failure) std::rethrow_exception(out.failure);
  if (!out.answer) throw pg::connection_lost("the database is too busy to answer in time", false);
  co_return std::move(*out.answer);
}

}  // namespace rowrunner::api
