#include "workloads/scoring/resume.hpp"

#include "admin/transaction.hpp"
#include "queries/scoring.hpp"
#include "workloads/scoring/csv.hpp"

namespace rowrunner::scoring {

using admin::transaction;

namespace {

std::optional<std::string> text_of(const std::optional<std::int64_t>& number) {
  if (!number) return std::nullopt;
  return std::to_string(*number);
}

std::optional<std::string> cost_text(const std::optional<double>& number) {
  if (!number) return std::nullopt;
  return csv_number(*number);
}

std::string refusal_of(const std::string& status, std::int64_t failures, bool retry_failed) {
  if (status == "running") return "is running";
  if (retry_failed && failures == 0) return "has no failed rows";
  if (!retry_failed && status == "completed") return "is completed";
  return "";
}

asio::awaitable<std::int64_t> requeue(transaction& tx, std::int64_t run, bool retry_failed) {
  const auto failed = co_await tx.run(queries::run_chunks_requeue, run);
  std::int64_t chunks = failed.get_int(0, 0);
  if (retry_failed) {
    const auto rows = co_await tx.run(queries::run_failures_forget, run);
    const auto again = co_await tx.run(queries::run_chunks_again, run, std::string(rows.get(0, 0)));
    chunks += again.get_int(0, 0);
  }
  co_return chunks;
}

asio::awaitable<resumed> resume_in(transaction& tx, std::string name, resume_options how) {
  resumed out;
  const auto found = co_await tx.run(queries::run_lock, name);
  if (found.rows() == 0) co_return out;
  out.known = true;
  out.refused = refusal_of(std::string(found.get(0, 1)), found.get_int(0, 2), how.retry_failed);
  if (!out.refused.empty()) co_return out;
  const auto run = found.get_int(0, 0);
  co_await tx.run(queries::run_budget_change, run, text_of(how.max_calls), cost_text(how.max_cost));
  out.chunks = co_await requeue(tx, run, how.retry_failed);
  co_await tx.run(queries::run_reopen, run);
  co_await tx.run(queries::sheet_resume, run);
  const auto ending = co_await tx.run(queries::run_end_enqueue, run);
  co_await tx.run(queries::run_end_waits, run, std::string(ending.get(0, 0)));
  co_return out;
}

}  // namespace

asio::awaitable<resumed> resume_run(pg::session& session, std::string name, resume_options how) {
  const auto work = [&](transaction& tx) { return resume_in(tx, name, how); };
  co_return co_await admin::in_transaction(session, work);
}

asio::awaitable<resumed> write_sheet_again(pg::session& session, std::string name) {
  const auto work = [&](transaction& tx) -> asio::awaitable<resumed> {
    resumed out;
    const auto found = co_await tx.run(queries::run_lock, name);
    if (found.rows() == 0) co_return out;
    out.known = true;
    const auto again = co_await tx.run(queries::sheet_again, found.get_int(0, 0));
    if (again.get_int(0, 0) == 0) out.refused = "has no spreadsheet, or it is being written";
    co_return out;
  };
  co_return co_await admin::in_transaction(session, work);
}

}  // namespace rowrunner::scoring
