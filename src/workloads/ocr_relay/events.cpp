#include "workloads/ocr_relay/events.hpp"

#include <algorithm>

#include "workloads/ocr_relay/words.hpp"

namespace rowrunner::ocr_relay {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

bool counts_as_processed(const page_fact& page) {
  return page.read && !page.non_order && page.delivered;
}

ordered_json error_entry(const ordered_json& page, std::string message) {
  return {{"pageIndex", page}, {"message", std::move(message)}};
}

std::string why_undelivered(const page_fact& page) {
  const bool ended = page.delivery_status == "failed" || page.delivery_status == "cancelled";
  std::string out = ended ? "not delivered" : "not delivered in time";
  if (!page.delivery_error.empty()) out += ": " + page.delivery_error;
  return out;
}

/// Pages that were never read, as ranges: a job that ends early may leave thousands.
void add_unread(ordered_json& errors, int from, int to) {
  if (from > to) return;
  errors.push_back(error_entry(from, from == to ? "the page was not read"
                                                : "pages " + std::to_string(from) + " to " +
                                                      std::to_string(to) + " were not read"));
}

ordered_json errors_of(const job_fact& job, const std::vector<page_fact>& pages) {
  ordered_json out = ordered_json::array();
  if (job.status != "succeeded") {
    const std::string why = job.last_error.empty() ? job.status : job.last_error;
    out.push_back(error_entry(nullptr, why));
  }
  int next = 1;
  for (const auto& page : pages) {
    add_unread(out, next, page.page - 1);
    next = page.page + 1;
    if (!page.read) {
      out.push_back(error_entry(page.page, page.error));
    } else if (!page.delivered) {
      out.push_back(error_entry(page.page, why_undelivered(page)));
    }
  }
  add_unread(out, next, job.total_pages);
  return out;
}

/// Of what a provider tells, receivers get what the document names.
ordered_json named_meta(const ordered_json& all) {
  ordered_json out;
  for (const char* name : {"model", "durationMs", "tokensInput", "tokensOutput"}) {
    out[name] = all.value(name, ordered_json());
  }
  return out;
}

}  // namespace

std::string page_text(int page, const std::string& text) {
  const std::string head = "--- PAGE " + std::to_string(page) + " ---";
  return text.starts_with(head) ? text : head + "\n" + text;
}

ordered_json page_meta(const json& told, const std::string& provider) {
  ordered_json out{{"model", provider}, {"durationMs", 0}, {"tokensInput", 0}, {"tokensOutput", 0}};
  if (told.is_object()) {
    for (const auto& [name, value] : told.items()) out[name] = value;
  }
  return out;
}

ordered_json page_result(const read_page_event& of) {
  return {{"event", words::page_result},
          {"jobId", of.job_id},
          {"orderId", of.order_id},
          {"pageIndex", of.page},
          {"isNonOrderPage", of.non_order},
          {"rawText", of.text},
          {"meta", named_meta(of.meta)},
          {"idempotencyKey", of.order_id + ":" + std::to_string(of.page)}};
}

std::string dump(const ordered_json& value) {
  return value.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

summary summarise(const job_fact& job, const std::vector<page_fact>& pages) {
  const auto processed = std::count_if(pages.begin(), pages.end(), counts_as_processed);
  auto errors = errors_of(job, pages);
  summary out;
  out.status = errors.empty() ? "DONE" : "ERROR";
  out.payload = {{"event", words::job_summary}, {"jobId", job.job_id},
                 {"orderId", job.order_id},     {"totalPages", job.total_pages},
                 {"processedPages", processed}, {"skippedPages", job.total_pages - processed},
                 {"errors", std::move(errors)}, {"status", out.status}};
  return out;
}

std::string status_word(const std::string& status, bool not_begun, bool held,
                        const std::optional<std::string>& outcome, bool unsent) {
  if (status == "cancelled") return "ERROR";
  const bool waits = status == "queued" || status == "processing";
  if (!waits && outcome) return *outcome;
  if (!waits && unsent) return "ERROR";
  // Its pages are on their way to the receiver.
  if (status == "succeeded" || status == "processing") return "PROCESSING";
  if (status == "failed") return "ERROR";
  if (!not_begun) return "PROCESSING";
  return held ? "RECEIVED" : "ENQUEUED";
}

}  // namespace rowrunner::ocr_relay
