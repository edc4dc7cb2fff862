#include "workloads/ocr_relay/job_details.hpp"

#include "admin/transaction.hpp"
#include "queries/ocr_relay.hpp"
#include "workloads/ocr_relay/events.hpp"
#include "workloads/webhooks/body.hpp"

namespace rowrunner::ocr_relay {
namespace {

namespace asio = boost::asio;
using admin::transaction;
using nlohmann::ordered_json;

/// The columns of relay_job.sql.
enum job_column {
  internal_id,
  job_id_column,
  order_id,
  status,
  not_begun,
  held,
  file_id,
  prompt,
  pattern,
  masters,
  webhook_url,
  created_at,
  updated_at,
  total_pages,
  processed,
  skipped,
  last_error,
  outcome,
  summary_payload,
  unsent,
  why_unsent,
};

ordered_json text_or_null(const pg::result& rows, int row, int column) {
  return rows.is_null(row, column) ? ordered_json() : ordered_json(rows.get(row, column));
}

ordered_json json_or_null(const pg::result& rows, int row, int column) {
  return rows.is_null(row, column) ? ordered_json() : ordered_json::parse(rows.get(row, column));
}

/// The job's own error, or the first one that its summary names.
ordered_json last_error_of(const pg::result& rows, const std::string& word) {
  if (word == "DONE") return {};
  if (!rows.is_null(0, last_error)) return ordered_json(rows.get(0, last_error));
  if (!rows.is_null(0, why_unsent) && rows.is_null(0, outcome)) {
    return "the summary was not sent: " + std::string(rows.get(0, why_unsent));
  }
  const auto payload = json_or_null(rows, 0, summary_payload);
  if (word != "ERROR" || !payload.is_object() || payload["errors"].empty()) return {};
  const auto& first = payload["errors"][0];
  std::string out = first["message"].get<std::string>();
  if (first["pageIndex"].is_number()) out = "page " + first["pageIndex"].dump() + ": " + out;
  return out;
}

ordered_json page_json(const pg::result& rows, int row) {
  return {{"pageIndex", rows.get_int(row, 0)},       {"status", rows.get(row, 1)},
          {"isNonOrderPage", rows.get_bool(row, 2)}, {"rawText", text_or_null(rows, row, 3)},
          {"error", text_or_null(rows, row, 4)},     {"meta", json_or_null(rows, row, 5)}};
}

ordered_json job_json(const pg::result& rows) {
  std::optional<std::string> ended;
  if (!rows.is_null(0, outcome)) ended = rows.get(0, outcome);
  const auto word = status_word(std::string(rows.get(0, status)), rows.get_bool(0, not_begun),
                                rows.get_bool(0, held), ended,
                                !rows.is_null(0, unsent) && rows.get_bool(0, unsent));
  const auto done = rows.get_int(0, processed);
  const bool counted = !rows.is_null(0, total_pages);
  // When all is over, what was not processed was skipped.
  const auto passed_over =
      ended && counted ? rows.get_int(0, total_pages) - done : rows.get_int(0, skipped);
  return {{"jobId", rows.get(0, job_id_column)},
          {"orderId", rows.get(0, order_id)},
          {"status", word},
          {"fileId", rows.get(0, file_id)},
          {"prompt", rows.get(0, prompt)},
          {"pattern", text_or_null(rows, 0, pattern)},
          {"masters", json_or_null(rows, 0, masters)},
          {"webhookUrl", rows.get(0, webhook_url)},
          {"webhookToken", webhooks::masked_token},
          {"createdAt", rows.get(0, created_at)},
          {"updatedAt", rows.get(0, updated_at)},
          {"totalPages", counted ? ordered_json(rows.get_int(0, total_pages)) : ordered_json()},
          {"processedPages", done},
          {"skippedPages", passed_over},
          {"lastError", last_error_of(rows, word)}};
}

}  // namespace

asio::awaitable<std::optional<ordered_json>> find_job(pg::session& session, std::string job_id) {
  const auto read = [&](transaction& tx) -> asio::awaitable<std::optional<ordered_json>> {
    const auto job = co_await tx.run(queries::relay_job, job_id);
    if (job.rows() == 0) co_return std::nullopt;
    auto out = job_json(job);
    const auto pages = co_await tx.run(queries::relay_pages, std::string(job.get(0, internal_id)));
    out["pages"] = ordered_json::array();
    for (int row = 0; row < pages.rows(); ++row) out["pages"].push_back(page_json(pages, row));
    co_return out;
  };
  co_return co_await admin::read_jobs(session, read);
}

}  // namespace rowrunner::ocr_relay
