#include "api/database_watch.hpp"

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "api/ask.hpp"
#include "common/pg/error.hpp"
#include "common/schema/schema_version.hpp"
#include "migrations/api.hpp"
#include "queries/api.hpp"

namespace rowrunner::api {
namespace {

constexpr std::chrono::seconds interval{2};

std::optional<std::string> refusal_of(const pg::result& versions) {
  const auto engine = static_cast<int>(versions.get_int(0, 0));
  const auto oldest = static_cast<int>(versions.get_int(0, 1));
  if (auto reason = schema_refusal(engine, oldest, binary_schema_version())) return reason;
  const int needed = migrations::api().back().version;
  if (versions.get_int(0, 2) >= needed) return std::nullopt;
  return "the schema lacks migrations of the component api: run 'rowrunner migrate'";
}

// A failure of the statement itself is an answer too.
asio::awaitable<void> ask_once(services& with) {
  std::optional<std::string> refusal;
  try {
    refusal = co_await ask_schema(with);
  } catch (const pg::error& error) {
    with.log->warn("the database does not answer", {{"error", error.what()}});
    co_return;
  }
  if (refusal) with.log->warn("the database does not serve this binary", {{"reason", *refusal}});
  with.watch.answered(database_watch::clock::now(), std::move(refusal));
}

}  // namespace

void database_watch::answered(clock::time_point now, std::optional<std::string> refusal) {
  last_answer_ = now;
  refusal_ = std::move(refusal);
}

std::optional<std::string> database_watch::problem(clock::time_point now) const {
  if (!last_answer_) return "the database has not answered yet";
  if (now - *last_answer_ > patience) {
    const auto silent = std::chrono::duration_cast<std::chrono::seconds>(now - *last_answer_);
    return "the database has not answered for " + std::to_string(silent.count()) + " seconds";
  }
  return refusal_;
}

asio::awaitable<std::optional<std::string>> ask_schema(services& with) {
  const auto statement = queries::api_versions.statement();
  try {
    const auto versions = co_await ask_database(with, pg::with(statement));
    co_return refusal_of(versions);
  } catch (const pg::query_error& error) {
    if (pg::classify(error.sqlstate()) != pg::error_class::permanent) throw;
    const bool denied = error.sqlstate() == "42501";
    co_return std::string(error.what()) +
        (denied ? ": GRANT rowrunner_server, rowrunner_app TO the role of the server"
                : ": run 'rowrunner migrate'");
  }
}

asio::awaitable<void> watch_database(services& with) {
  asio::steady_timer timer(co_await asio::this_coro::executor);
  for (;;) {
    co_await ask_once(with);
    timer.expires_after(interval);
    co_await timer.async_wait(asio::use_awaitable);
  }
}

}  // namespace rowrunner::api
