#include "api/operations.hpp"

#include "admin/transaction.hpp"
#include "api/ask.hpp"
#include "common/pg/array.hpp"
#include "queries/admin.hpp"
#include "queries/api.hpp"

namespace rowrunner::api {
namespace {

using admin::transaction;

/// How soon a server takes up what another one has left.
constexpr std::chrono::seconds interval{2};
/// How long a batch waits for a job that another session has locked.
constexpr const char* patience = "100ms";

std::optional<std::string> text_or_nothing(const pg::result& rows, int row, int column) {
  if (rows.is_null(row, column)) return std::nullopt;
  return std::string(rows.get(row, column));
}

/// The columns of operation_lock.sql.
struct locked_operation {
  std::string kind;
  std::optional<std::string> fingerprint;
  std::string until;
  std::string after_time;
  std::string after_id;
  std::int64_t kind_id = 0;
  std::string cancelled_status;
  bool second_pass = false;
};

locked_operation read_locked(const pg::result& row) {
  locked_operation out;
  out.kind = row.get(0, 0);
  out.fingerprint = text_or_nothing(row, 0, 1);
  out.until = row.get(0, 2);
  out.after_time = row.get(0, 3);
  out.after_id = row.get(0, 4);
  out.kind_id = row.get_int(0, 5);
  out.cancelled_status = row.get(0, 6);
  out.second_pass = row.get_bool(0, 7);
  return out;
}

asio::awaitable<batch_result> deal_with(transaction& tx, std::int64_t operation,
                                        const locked_operation& of, int jobs, bool pass_over) {
  co_await tx.run(queries::read_settings);
  co_await tx.run(queries::lock_timeout, patience);
  const auto next = co_await tx.run(queries::operation_next, of.kind_id, of.fingerprint, of.until,
                                    of.after_time, of.after_id, jobs, of.cancelled_status);
  const int count = next.rows();
  if (count == 0 && !of.second_pass) {
    co_await tx.run(queries::operation_again, operation);
    co_return batch_result::more;
  }
  if (count == 0) {
    const std::optional<std::string> same;
    co_await tx.run(queries::operation_advance, operation, 0, 0, same, same, true);
    co_return batch_result::done;
  }
  std::vector<std::string> ids;
  for (int row = 0; row < count; ++row) ids.emplace_back(next.get(row, 0));
  std::int64_t requeued = 0;
  if (!pass_over) {
    const auto answer = co_await tx.run(queries::operation_requeue, of.kind, pg::array(ids));
    requeued = answer.get_int(0, 0);
  }
  const std::string last_time(next.get(count - 1, 1));
  co_await tx.run(queries::operation_advance, operation, requeued, count - requeued, last_time,
                  ids.back(), false);
  co_return batch_result::more;
}

asio::awaitable<void> give_up(pg::session& session, std::int64_t operation, std::string why) {
  const auto statement = queries::operation_fail.statement();
  auto call = pg::with(statement, std::to_string(operation), std::move(why));
  co_await session.run_one(std::move(call));
}

}  // namespace

batch_remedy remedy_of(std::string_view sqlstate, bool single_job) {
  const auto kind = pg::classify(sqlstate);
  if (sqlstate == "42501") return batch_remedy::give_up;
  if (kind == pg::error_class::connection || sqlstate.starts_with("53")) return batch_remedy::wait;
  if (!single_job) return batch_remedy::take_fewer;
  // Also a job whose own triggers take longer than a statement may: it would never be done.
  const bool too_slow = sqlstate == "55P03" || sqlstate == "57014";
  const bool of_this_job = too_slow || kind == pg::error_class::permanent;
  return of_this_job ? batch_remedy::pass_over : batch_remedy::wait;
}

asio::awaitable<batch_result> run_batch(pg::session& session, std::int64_t operation, int jobs,
                                        bool pass_over) {
  const auto work = [&](transaction& tx) -> asio::awaitable<batch_result> {
    const auto row = co_await tx.run(queries::operation_lock, operation);
    if (row.rows() == 0) co_return batch_result::nothing;
    if (row.is_null(0, 5)) {
      co_await tx.run(queries::operation_fail, operation, "the kind was detached");
      co_return batch_result::done;
    }
    const auto locked = read_locked(row);
    co_return co_await deal_with(tx, operation, locked, jobs, pass_over);
  };
  co_return co_await admin::in_transaction(session, work, queries::begin_read_committed);
}

namespace {

/// True if that worked. What fails again must not keep the other operations.
asio::awaitable<bool> pass_over_one(services& with, pg::session& session, std::int64_t operation) {
  try {
    co_await run_batch(session, operation, 1, true);
    co_return true;
  } catch (const pg::query_error& error) {
    with.log->warn("a job of an operation cannot be passed over",
                   {{"operation", operation}, {"error", error.what()}});
  }
  co_return false;
}

}  // namespace

/// True if the operation may have more to do.
asio::awaitable<bool> operation_runner::take_batch(services& with, std::int64_t operation) {
  const auto mine = co_await borrow_session(with);
  std::string refused;
  auto remedy = batch_remedy::wait;
  try {
    const auto result = co_await run_batch(*mine, operation, size_.now(), false);
    size_.succeeded();
    co_return result == batch_result::more;
  } catch (const pg::query_error& error) {
    refused = error.what();
    remedy = remedy_of(error.sqlstate(), size_.is_least());
  }
  with.log->warn("a batch of an operation failed",
                 {{"operation", operation}, {"jobs", size_.now()}, {"error", refused}});
  if (remedy == batch_remedy::give_up) co_await give_up(*mine, operation, std::move(refused));
  if (remedy == batch_remedy::take_fewer) size_.failed();
  if (remedy == batch_remedy::pass_over) co_return co_await pass_over_one(with, *mine, operation);
  co_return remedy == batch_remedy::take_fewer;
}

asio::awaitable<bool> operation_runner::work_once(services& with) {
  const auto statement = queries::operations_due.statement();
  const auto due = co_await ask_database(with, pg::with(statement));
  bool more = false;
  for (int row = 0; row < due.rows(); ++row) {
    const bool again = co_await take_batch(with, due.get_int(row, 0));
    more = more || again;
  }
  co_return more;
}

asio::awaitable<void> operation_runner::run(services& with) {
  for (;;) {
    bool more = false;
    try {
      more = co_await work_once(with);
    } catch (const std::exception& error) {
      with.log->warn("operations wait for the database", {{"error", error.what()}});
    }
    if (!more) co_await added_.wait_for(interval);
  }
}

}  // namespace rowrunner::api
