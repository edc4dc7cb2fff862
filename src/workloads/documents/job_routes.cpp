#include "admin/transaction.hpp"
#include "api/ask.hpp"
#include "api/parameters.hpp"
#include "queries/documents.hpp"
#include "workloads/documents/access.hpp"
#include "workloads/documents/routes.hpp"

namespace rowrunner::documents {

using admin::transaction;
using api::answer;
using api::problem;
using api::request_error;
using nlohmann::ordered_json;

namespace {

constexpr int most = 200;
constexpr int usual = 50;

struct known_job {
  std::string id;
  std::string status;
};

/// Throws request_error: 404 "Job not found", 403 "Not authorized".
asio::awaitable<known_job> find_job(transaction& tx, const api::request& asked) {
  const std::string& job_id = asked.params.find("job_id")->second;
  const auto row = co_await tx.run(queries::job_for_change, job_id);
  if (row.rows() == 0) throw not_found("Job");
  const bool own = may_see(asked.who, std::string(row.get(0, 1)));
  const bool of_own_document = !row.is_null(0, 3) && row.get(0, 3) == asked.who.user;
  if (!own && !of_own_document) throw not_authorized();
  co_return known_job{std::string(row.get(0, 0)), std::string(row.get(0, 2))};
}

/// The count of retries; nothing if they are spent, which the job says from then on.
asio::awaitable<std::optional<int>> retry(transaction& tx, const api::request& asked) {
  const auto job = co_await find_job(tx, asked);
  const auto counted = co_await tx.run(queries::job_retry, job.id);
  if (counted.is_null(0, 0)) {
    throw request_error(problem(409, "conflict", "Only a failed or cancelled job can be retried"));
  }
  const auto count = static_cast<int>(counted.get_int(0, 0));
  co_return count == 0 ? std::nullopt : std::optional(count);
}

asio::awaitable<std::string> cancel(transaction& tx, const api::request& asked) {
  const auto job = co_await find_job(tx, asked);
  if (job.status != "queued" && job.status != "processing") {
    throw request_error(problem(409, "conflict", "The job has ended already"));
  }
  const auto row = co_await tx.run(queries::job_cancel, job.id, "by " + asked.who.user);
  co_return row.is_null(0, 0) ? std::string() : std::string(row.get(0, 0));
}

}  // namespace

asio::awaitable<answer> retry_document_job(api::services& with, const api::request& asked) {
  const auto write = [&](transaction& tx) { return retry(tx, asked); };
  const auto mine = co_await api::borrow_session(with);
  const auto count = co_await admin::in_transaction(*mine, write);
  if (!count) throw request_error(problem(409, "conflict", "Exceeded max retries (3)"));
  co_return answer(200, ordered_json{{"message", "Job retried"},
                                     {"job_id", asked.params.find("job_id")->second},
                                     {"retry_count", *count},
                                     {"status", "pending"}});
}

asio::awaitable<answer> cancel_document_job(api::services& with, const api::request& asked) {
  const auto write = [&](transaction& tx) { return cancel(tx, asked); };
  const auto mine = co_await api::borrow_session(with);
  const auto result = co_await admin::in_transaction(*mine, write);
  const bool ended = result == "cancelled";
  co_return answer(ended ? 200 : 202,
                   ordered_json{{"message", ended ? "Job cancelled" : "Cancellation requested"},
                                {"job_id", asked.params.find("job_id")->second},
                                {"status", ended ? "cancelled" : "processing"}});
}

asio::awaitable<answer> show_document_queue(api::services& with, const api::request& asked) {
  const int limit = api::number_parameter(asked, "limit", usual, 1, most);
  const auto length = queries::queue_length.statement();
  const auto jobs = queries::queue_jobs.statement();
  const auto count = co_await api::ask_database(with, pg::with(length));
  const auto rows = co_await api::ask_database(with, pg::with(jobs, std::to_string(limit)));
  ordered_json items = ordered_json::array();
  for (int row = 0; row < rows.rows(); ++row) items.push_back(rows.get(row, 0));
  co_return answer(200, ordered_json{{"queue", "queue:document:processing"},
                                     {"length", count.get_int(0, 0)},
                                     {"items", items}});
}

}  // namespace rowrunner::documents
