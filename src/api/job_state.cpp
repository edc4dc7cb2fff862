#include "api/job_state.hpp"

#include <algorithm>

#include "common/schema/job_status.hpp"

namespace rowrunner::api {
namespace {

using nlohmann::ordered_json;

std::optional<std::string> text_or_nothing(const pg::result& rows, int row, int column) {
  if (rows.is_null(row, column)) return std::nullopt;
  return std::string(rows.get(row, column));
}

template <typename Value>
ordered_json or_null(const std::optional<Value>& value) {
  return value ? ordered_json(*value) : ordered_json();
}

/// The document's word for a status.
std::string_view document_status(const job_state& of) {
  if (of.cancelled) return "cancelled";
  if (of.status == job_status::queued) return "pending";
  if (of.status == job_status::succeeded) return "completed";
  return of.status;
}

/// A report without a total does not hide that of the row.
std::int64_t total_of(const job_state& of) {
  if (of.progress && of.progress->total > 0) return of.progress->total;
  return std::max<std::int64_t>(of.total_pages.value_or(0), 0);
}

std::int64_t processed_of(const job_state& of) {
  const auto total = total_of(of);
  const auto done = of.progress ? of.progress->done : 0;
  if (total == 0) return done;
  return of.status == job_status::succeeded ? total : std::min(done, total);
}

int percent_of(const job_state& of) {
  if (of.status == job_status::succeeded) return 100;
  const auto total = total_of(of);
  if (total == 0) return 0;
  return static_cast<int>(static_cast<double>(processed_of(of)) * 100 / static_cast<double>(total));
}

/// The page that is being worked on; the last one when there is none left.
std::int64_t current_page(const job_state& of) {
  const bool runs = of.status == job_status::processing && total_of(of) > 0;
  return runs ? std::min(processed_of(of) + 1, total_of(of)) : processed_of(of);
}

/// With the last page the document estimates the end for that moment, and keeps it.
std::optional<std::string> estimated_end(const job_state& of) {
  if (of.status == job_status::succeeded && total_of(of) > 0) return of.updated_at;
  return of.estimated_end;
}

std::optional<std::int64_t> number_or_nothing(const pg::result& rows, int row, int column) {
  if (rows.is_null(row, column)) return std::nullopt;
  return rows.get_int(row, column);
}

}  // namespace

bool job_state::has_ended() const {
  return status == job_status::succeeded || status == job_status::failed ||
         status == job_status::cancelled;
}

job_state read_job_state(const std::string& kind, const pg::result& rows, int row) {
  job_state out;
  out.key = {kind, std::string(rows.get(row, 0))};
  out.status = rows.get(row, 1);
  out.attempts = static_cast<int>(rows.get_int(row, 2));
  out.max_attempts = static_cast<int>(rows.get_int(row, 3));
  out.last_error = text_or_nothing(rows, row, 4);
  out.created_at = rows.get(row, 5);
  out.updated_at = rows.get(row, 6);
  out.public_id = rows.get(row, 7);
  out.owner = text_or_nothing(rows, row, 8);
  out.document = text_or_nothing(rows, row, 9);
  if (!rows.is_null(row, 10)) {
    out.progress =
        job_progress{rows.get_int(row, 10), rows.get_int(row, 11), std::string(rows.get(row, 12))};
  }
  out.estimated_end = text_or_nothing(rows, row, 13);
  out.type = text_or_nothing(rows, row, 14);
  out.total_pages = number_or_nothing(rows, row, 15);
  out.retry_count = number_or_nothing(rows, row, 16);
  out.cancelled = rows.get_bool(row, 17);
  out.co_owner = text_or_nothing(rows, row, 18);
  return out;
}

ordered_json event_json(const job_state& of) {
  ordered_json out{{"kind", of.key.kind}, {"id", of.key.id}};
  if (!of.exists()) {
    out["status"] = nullptr;
    return out;
  }
  out["status"] = of.status;
  out["attempts"] = of.attempts;
  out["max_attempts"] = of.max_attempts;
  out["last_error"] = or_null(of.last_error);
  out["updated_at"] = of.updated_at;
  out["progress"] = nullptr;
  if (of.progress) {
    out["progress"] = {{"done", of.progress->done},
                       {"total", of.progress->total},
                       {"message", of.progress->message}};
  }
  return out;
}

ordered_json document_json(const job_state& of) {
  const auto status = document_status(of);
  const bool has_error = status == "failed" || status == "cancelled";
  ordered_json out{{"job_id", of.public_id},
                   {"job_type", of.type.value_or(of.key.kind)},
                   {"status", status},
                   {"progress", percent_of(of)},
                   {"total_pages", total_of(of)},
                   {"processed_pages", processed_of(of)},
                   {"current_page", current_page(of)},
                   {"started_at", of.created_at},
                   {"updated_at", of.updated_at},
                   {"estimated_completion", or_null(estimated_end(of))},
                   {"document_id", or_null(of.document)},
                   {"user_id", or_null(of.owner)},
                   {"error", has_error ? or_null(of.last_error) : ordered_json()}};
  if (of.retry_count) out["retry_count"] = *of.retry_count;
  return out;
}

}  // namespace rowrunner::api
