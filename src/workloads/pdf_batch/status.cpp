#include "workloads/pdf_batch/status.hpp"

#include "common/schema/job_status.hpp"
#include "workloads/pdf_batch/message.hpp"

namespace rowrunner::pdf_batch {
namespace {

/// A job that waits has begun if there is a report: its worker was lost, or it was queued again.
std::string_view status_word(const job_state& of) {
  if (of.status == job_status::succeeded) return "completed";
  if (of.status == job_status::failed || of.status == job_status::cancelled) return "failed";
  if (of.status == job_status::queued && !of.done) return "pending";
  return "processing";
}

std::string message_of(const job_state& of, std::string_view word) {
  if (word == "completed") return completed_message;
  if (word == "failed") return failed_message;
  if (word == "pending") return "Waiting for a worker...";
  // The last report may be seen just before the end that it is written with.
  if (of.message == completed_message) return page_message(of.total, of.total);
  return of.done && !of.message.empty() ? of.message : started_message;
}

}  // namespace

std::string page_message(std::int64_t page, std::int64_t total) {
  return "Page " + std::to_string(page) + "/" + std::to_string(total) + " analyzing...";
}

int percent(std::int64_t page, std::int64_t total) {
  if (total <= 0) return 0;
  const auto share = static_cast<double>(std::min(page, total)) / static_cast<double>(total);
  return static_cast<int>(share * 100);
}

nlohmann::ordered_json status_json(const job_state& of) {
  const auto word = status_word(of);
  const bool completed = word == "completed";
  return {{"status", word},
          {"progress", completed ? 100 : percent(of.done.value_or(0), of.total)},
          {"message", message_of(of, word)},
          {"result_url", completed ? result_path(of.job_id) : ""},
          {"error_msg", word == "failed" ? of.last_error : ""},
          {"updated_at", of.updated_at}};
}

nlohmann::ordered_json mirrored_json(const api::job_state& of) {
  job_state out;
  out.job_id = of.public_id;
  out.status = of.status;
  if (of.progress) {
    out.done = of.progress->done;
    out.total = of.progress->total;
    out.message = of.progress->message;
  }
  out.last_error = of.last_error.value_or("");
  out.updated_at = of.updated_at;
  return status_json(out);
}

}  // namespace rowrunner::pdf_batch
