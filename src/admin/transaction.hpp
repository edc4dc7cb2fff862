#pragma once

#include <boost/asio/awaitable.hpp>
#include <exception>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "common/pg/error.hpp"
#include "common/pg/session.hpp"
#include "common/schema/kind_info.hpp"
#include "queries/session.hpp"

namespace rowrunner::admin {

namespace asio = boost::asio;

/// A transaction of several round trips. Names without a schema are the system's alone, whatever
/// the session's search_path is. Its statements are not prepared: they are planned for the settings
/// and the parameters of this one time.
class transaction {
 public:
  explicit transaction(pg::connection& on) : on_(on) {}

  template <typename... Params>
  asio::awaitable<pg::result> run(const query& statement, const Params&... params) {
    return execute(std::string(statement.text), parameters(params...));
  }

  /// On the job table of a kind.
  template <typename... Params>
  asio::awaitable<pg::result> run(const kind_info& kind, const query& statement,
                                  const Params&... params) {
    return execute(kind.bind(statement), parameters(params...));
  }

  /// A text of several statements without parameters.
  asio::awaitable<void> run_script(std::string_view sql) {
    return on_.run_script(std::string(sql));
  }

  asio::awaitable<void> begin(query how);
  asio::awaitable<void> commit();
  /// Does nothing after the connection was lost, which the server rolls back by itself.
  asio::awaitable<void> roll_back();

  asio::awaitable<void> set_savepoint();
  /// Takes back what came after the savepoint, locks included.
  asio::awaitable<void> undo_to_savepoint();

 private:
  template <typename... Params>
  static std::vector<pg::param> parameters(const Params&... params) {
    std::vector<pg::param> list;
    list.reserve(sizeof...(params));
    (list.push_back(parameter(params)), ...);
    return list;
  }

  template <typename Value>
  static pg::param parameter(const Value& value) {
    if constexpr (std::is_same_v<Value, bool>) {
      return pg::param(value ? "true" : "false");
    } else if constexpr (std::is_integral_v<Value>) {
      return pg::param(std::to_string(value));
    } else {
      return pg::param(std::optional<std::string>(value));
    }
  }

  asio::awaitable<pg::result> execute(std::string text, std::vector<pg::param> params);

  pg::connection& on_;
};

/// Runs work(transaction&), a coroutine, and commits; rolls back if it throws. `work` must outlive
/// the call.
template <typename Work>
auto in_transaction(pg::session& session, const Work& work, query begin = queries::begin)
    -> std::invoke_result_t<const Work&, transaction&> {
  const auto turn = co_await session.acquire();
  transaction tx(*turn);
  std::exception_ptr failure;
  try {
    co_await tx.begin(begin);
    auto answer = co_await work(tx);
    co_await tx.commit();
    co_return answer;
  } catch (...) {
    failure = std::current_exception();
  }
  co_await tx.roll_back();
  std::rethrow_exception(failure);
}

/// For a transaction that reads job tables: times come as UTC, and it does not wait long for locks.
asio::awaitable<void> set_up_reading(transaction& tx);

/// After a lock was not available: throws error{table_locked}, with the table and the session that
/// locks it.
asio::awaitable<void> throw_table_locked(pg::session& session);

/// As in_transaction, to read job tables. A table that is locked as a whole does not keep it
/// waiting: it throws error{table_locked}.
template <typename Work>
auto read_jobs(pg::session& session, const Work& work)
    -> std::invoke_result_t<const Work&, transaction&> {
  using answer = std::invoke_result_t<const Work&, transaction&>;
  const auto bounded = [&work](transaction& tx) -> answer {
    co_await set_up_reading(tx);
    co_return co_await work(tx);
  };
  std::exception_ptr failure;
  try {
    co_return co_await in_transaction(session, bounded);
  } catch (const pg::query_error& refused) {
    failure = std::current_exception();
    if (refused.sqlstate() != "55P03") std::rethrow_exception(failure);
  }
  co_await throw_table_locked(session);
  std::rethrow_exception(failure);
}

/// Throws error{schema_unfit}, with the reason why this binary must not run on the database.
asio::awaitable<void> require_served(pg::session& session);

}  // namespace rowrunner::admin
