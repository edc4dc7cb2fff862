#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <random>
#include <rowrunner/services.hpp>

#include "common/pg/backoff.hpp"

namespace rowrunner {

namespace asio = boost::asio;

services::services(asio::any_io_executor executor, std::shared_ptr<database> db,
                   std::shared_ptr<const logger> log)
    : executor_(std::move(executor)), database_(std::move(db)), log_(std::move(log)) {}

event_log services::log(const job_view& self) const {
  std::vector<log_field> own{
      {"kind", self.kind()}, {"job", self.id()}, {"attempt", self.attempt()}};
  return event_log(log_, std::move(own));
}

asio::awaitable<query_result> services::until_answered(std::shared_ptr<database> db, job_view self,
                                                       std::string sql, query_params params) {
  asio::steady_timer timer(co_await asio::this_coro::executor);
  std::mt19937_64 rng(std::random_device{}());
  pg::backoff pauses;
  for (;;) {
    if (self.stop_requested()) throw job_stopped("the job was told to stop");
    try {
      auto copy = params;
      co_return co_await db->query(sql, std::move(copy));
    } catch (const database_error& e) {
      if (!e.temporary) throw;
    }
    timer.expires_after(pauses.next(rng));
    co_await timer.async_wait(asio::use_awaitable);
  }
}

}  // namespace rowrunner
