#include "worker/handler_sessions.hpp"

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <random>

#include "common/pg/backoff.hpp"
#include "common/pg/error.hpp"

namespace rowrunner {

namespace asio = boost::asio;

namespace {

query_result copy_of(const pg::result& answer) {
  query_result out;
  out.affected = answer.affected();
  out.rows.resize(static_cast<std::size_t>(answer.rows()));
  for (int row = 0; row < answer.rows(); ++row) {
    auto& fields = out.rows[static_cast<std::size_t>(row)];
    fields.resize(static_cast<std::size_t>(answer.columns()));
    for (int column = 0; column < answer.columns(); ++column) {
      if (answer.is_null(row, column)) continue;
      fields[static_cast<std::size_t>(column)] = std::string(answer.get(row, column));
    }
  }
  return out;
}

}  // namespace

asio::awaitable<query_result> handler_sessions::query(std::string sql, query_params params) {
  const auto self = shared_from_this();
  // Without a name: handlers may use any number of texts, and the server would keep them all.
  const pg::statement stmt{"", std::move(sql)};
  const auto until = clock::now() + patience_;
  asio::steady_timer timer(co_await asio::this_coro::executor);
  pg::backoff pauses;
  for (;;) {
    auto copy = params;
    if (auto answer = co_await self->try_query(stmt, std::move(copy), until)) {
      co_return std::move(*answer);
    }
    std::mt19937_64 rng(std::random_device{}());
    timer.expires_after(pauses.next(rng));
    co_await timer.async_wait(asio::use_awaitable);
  }
}

/// Nothing: it waited for a lock for as long as it may at a time. An error that came sooner is that
/// of a NOWAIT, which is what the handler asked for.
asio::awaitable<std::optional<query_result>> handler_sessions::try_query(const pg::statement& stmt,
                                                                         query_params params,
                                                                         clock::time_point until) {
  const auto mine = co_await pool_.borrow();
  const auto begun = clock::now();
  try {
    pg::call call(stmt, {params.begin(), params.end()});
    co_return copy_of(co_await (*mine).run_one(std::move(call)));
  } catch (const pg::query_error& e) {
    const auto now = clock::now();
    const bool waited = e.sqlstate() == "55P03" && now - begun >= lock_timeout_;
    if (waited && now < until) co_return std::nullopt;
    const bool temporary = pg::classify(e.sqlstate()) != pg::error_class::permanent;
    throw database_error(e.what(), e.sqlstate(), temporary, false);
  } catch (const pg::connection_lost& e) {
    throw database_error(e.what(), e.sqlstate(), true, e.maybe_committed);
  } catch (const pg::error& e) {
    throw database_error(e.what(), e.sqlstate(), true, false);
  }
}

}  // namespace rowrunner
