#include "workloads/scoring/patient_query.hpp"

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>

namespace rowrunner::scoring {

namespace asio = boost::asio;

asio::awaitable<query_result> patient_query(services& engine, std::string sql,
                                            query_params params) {
  using clock = std::chrono::steady_clock;
  const auto until = clock::now() + std::chrono::minutes(1);
  for (;;) {
    std::exception_ptr failure;
    try {
      co_return co_await engine.query(sql, params);
    } catch (const database_error& error) {
      if (!error.temporary || clock::now() >= until) throw;
      failure = std::current_exception();
    }
    asio::steady_timer pause(engine.executor(), std::chrono::milliseconds(300));
    co_await pause.async_wait(asio::use_awaitable);
  }
}

}  // namespace rowrunner::scoring
