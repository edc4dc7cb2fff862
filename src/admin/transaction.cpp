#include "admin/transaction.hpp"

#include "admin/error.hpp"
#include "admin/wait_reason.hpp"
#include "common/schema/schema_version.hpp"
#include "queries/admin.hpp"
#include "queries/engine.hpp"

namespace rowrunner::admin {
namespace {

std::string on_savepoint(const query& what) {
  return fill(what.text, {{"name", "rowrunner_admin"}});
}

pg::statement unprepared(std::string text) { return {"", std::move(text)}; }

}  // namespace

asio::awaitable<pg::result> transaction::execute(std::string text, std::vector<pg::param> params) {
  const auto statement = unprepared(std::move(text));
  pg::call one(statement, std::move(params));
  auto answers = co_await on_.run(pg::together(std::move(one)));
  co_return std::move(answers.front());
}

asio::awaitable<void> transaction::begin(query how) {
  const auto first = unprepared(std::string(how.text));
  const auto search_path = unprepared(std::string(queries::search_path.text));
  co_await on_.run(pg::together(pg::with(first), pg::with(search_path, "true")));
}

asio::awaitable<void> transaction::commit() { co_await run(queries::commit); }

asio::awaitable<void> transaction::roll_back() {
  if (!on_.in_transaction()) co_return;
  try {
    co_await run(queries::rollback);
  } catch (const pg::error&) {
    // The connection is lost, and the transaction with it.
  }
}

asio::awaitable<void> transaction::set_savepoint() {
  co_await execute(on_savepoint(queries::savepoint), {});
}

asio::awaitable<void> transaction::undo_to_savepoint() {
  co_await execute(on_savepoint(queries::savepoint_undo), {});
}

asio::awaitable<void> set_up_reading(transaction& tx) {
  co_await tx.run(queries::lock_timeout, "2s");
  co_await tx.run(queries::utc);
}

asio::awaitable<void> throw_table_locked(pg::session& session) {
  const auto ask = [](transaction& tx) {
    return tx.run(queries::locked_table, std::optional<std::string>());
  };
  const auto found = co_await in_transaction(session, ask);
  if (found.rows() == 0) {
    throw error(reason::table_locked,
                "a table was locked by another session for too long: try again");
  }
  throw error(reason::table_locked, "table " + std::string(found.get(0, 0)) + " is locked by " +
                                        text_of(read_lock_holder(found, 0, 1)) +
                                        ": none of its jobs can be read or claimed");
}

asio::awaitable<void> require_served(pg::session& session) {
  const auto ask = [](transaction& tx) -> asio::awaitable<std::optional<std::string>> {
    std::optional<int> version;
    int oldest_binary = 0;
    if ((co_await tx.run(queries::schema_exists)).get_bool(0, 0)) {
      const auto info = co_await tx.run(queries::schema_info);
      version = static_cast<int>(info.get_int(0, 0));
      oldest_binary = static_cast<int>(info.get_int(0, 1));
    }
    co_return schema_refusal(version, oldest_binary, binary_schema_version());
  };
  const auto refusal = co_await in_transaction(session, ask);
  if (refusal) throw error(reason::schema_unfit, *refusal);
}

}  // namespace rowrunner::admin
