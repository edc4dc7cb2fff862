#include "worker/handler_sessions.hpp"

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
  // Without a name: handlers may use any number of texts, and the server would keep them all.
  const pg::statement stmt{"", std::move(sql)};
  pg::call call(stmt, {params.begin(), params.end()});
  try {
    co_return copy_of(co_await pool_.run_one(std::move(call)));
  } catch (const pg::query_error& e) {
    const bool temporary = pg::classify(e.sqlstate()) != pg::error_class::permanent;
    throw database_error(e.what(), e.sqlstate(), temporary, false);
  } catch (const pg::connection_lost& e) {
    throw database_error(e.what(), e.sqlstate(), true, e.maybe_committed);
  } catch (const pg::error& e) {
    throw database_error(e.what(), e.sqlstate(), true, false);
  }
}

}  // namespace rowrunner
