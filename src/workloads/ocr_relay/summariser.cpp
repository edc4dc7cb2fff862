#include "workloads/ocr_relay/summariser.hpp"

#include "queries/ocr_relay.hpp"
#include "workloads/ocr_relay/events.hpp"
#include "workloads/ocr_relay/words.hpp"
#include "workloads/webhooks/enqueue.hpp"

namespace rowrunner::ocr_relay {

namespace asio = boost::asio;

namespace {

using row = std::vector<std::optional<std::string>>;

job_fact read_job(const row& from) {
  job_fact out;
  out.job_id = from.at(1).value_or("");
  out.order_id = from.at(2).value_or("");
  out.status = from.at(3).value_or("");
  out.last_error = from.at(4).value_or("");
  out.total_pages = std::stoi(from.at(5).value_or("0"));
  return out;
}

page_fact read_page(const row& from) {
  page_fact out;
  out.page = std::stoi(from.at(0).value_or("0"));
  out.read = from.at(1) == "DONE";
  out.non_order = from.at(2) == "t";
  out.error = from.at(3).value_or("");
  out.delivered = from.at(4) == "t";
  out.delivery_status = from.at(5).value_or("");
  out.delivery_error = from.at(6).value_or("");
  return out;
}

webhooks::new_delivery delivery_of(const row& job, const summary& made) {
  webhooks::new_delivery out;
  out.url = job.at(6).value_or("");
  out.payload = made.payload;
  out.event = words::job_summary;
  out.token = job.at(8);
  out.token_member = "token";
  out.by = webhooks::success_named(job.at(7).value_or(""));
  out.source = job.at(1);
  return out;
}

}  // namespace

asio::awaitable<outcome> summariser::run(job& self) {
  const auto jobs = co_await engine_.idempotent_query(
      self, std::string(queries::relay_summary_job.text), self.id());
  if (jobs.rows.empty()) co_return final_failure("the job of this summary is gone");
  const auto& job_row = jobs.rows.front();
  const auto job = read_job(job_row);
  // It was queued again by hand in the meantime.
  if (job.status == "queued" || job.status == "processing") {
    co_return snoozed{std::chrono::seconds(10)};
  }
  const auto found = co_await engine_.idempotent_query(
      self, std::string(queries::relay_summary_pages.text), job_row.at(0).value_or(""));
  std::vector<page_fact> pages;
  for (const auto& each : found.rows) pages.push_back(read_page(each));
  const auto made = summarise(job, pages);
  succeeded end;
  end.effects.push_back(webhooks::enqueue_effect(delivery_of(job_row, made)));
  end.effects.push_back({std::string(queries::relay_summary_made.text),
                         {self.id(), made.status, dump(made.payload)}});
  co_return end;
}

handler_entry summary_handler() {
  kind_options options;
  options.kind = "ocr_relay_summary";
  const auto make = [](workload_services& all) -> coroutine_handler {
    const auto serve = std::make_shared<summariser>(all.engine);
    return [serve](job& self) { return serve->run(self); };
  };
  return {"ocr_relay_summary", std::move(options), make};
}

}  // namespace rowrunner::ocr_relay
