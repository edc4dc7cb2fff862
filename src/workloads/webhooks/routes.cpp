#include "workloads/webhooks/routes.hpp"

#include "api/ask.hpp"
#include "api/parameters.hpp"
#include "common/text.hpp"
#include "workloads/webhooks/delivery_list.hpp"

namespace rowrunner::webhooks {
namespace {

namespace asio = boost::asio;
using api::answer;
using api::problem;
using api::request;
using api::request_error;
using nlohmann::ordered_json;

constexpr int most_listed = 200;
constexpr int sent_at_a_time = 1'000;

ordered_json as_array(const std::vector<listed_delivery>& all) {
  ordered_json out = ordered_json::array();
  for (const auto& each : all) out.push_back(to_json(each));
  return out;
}

/// "2026-11-18T08:00:00.123456Z/ID": where a page of failures begins.
bool read_cursor(const std::string& text, delivery_filter& out) {
  const auto slash = std::min(text.find('/'), text.size());
  out.after_time = text.substr(0, slash);
  out.after_id = text.substr(std::min(slash + 1, text.size()));
  return out.after_time->size() == 27 && out.after_time->ends_with('Z') &&
         out.after_time->find_first_not_of("0123456789-:.TZ") == std::string::npos &&
         is_uuid(*out.after_id);
}

delivery_filter filter_of(const request& asked) {
  delivery_filter out;
  out.url = api::parameter(asked, "url");
  out.source = api::parameter(asked, "source");
  out.limit = api::number_parameter(asked, "limit", 50, 1, most_listed);
  if (const auto after = api::parameter(asked, "after")) {
    if (!read_cursor(*after, out)) {
      throw request_error(problem(400, "bad_request", "after must be `next` of the page before"));
    }
  }
  return out;
}

asio::awaitable<answer> list_undelivered(api::services& with, const request& asked) {
  const auto filter = filter_of(asked);
  const auto mine = co_await api::borrow_session(with);
  const auto failed = co_await failed_deliveries(*mine, filter);
  ordered_json next;
  if (static_cast<int>(failed.size()) == filter.limit) {
    next = failed.back().at.value_or("") + "/" + failed.back().id;
  }
  co_return answer(200, ordered_json{{"items", as_array(failed)}, {"next", next}});
}

asio::awaitable<answer> list_retrying(api::services& with, const request& asked) {
  const auto filter = filter_of(asked);
  const auto mine = co_await api::borrow_session(with);
  const auto waiting = co_await retrying_deliveries(*mine, filter);
  co_return answer(200, ordered_json{{"items", as_array(waiting)}});
}

asio::awaitable<answer> list_of_source(api::services& with, const request& asked) {
  const auto source = asked.params.find("source")->second;
  const int limit = api::number_parameter(asked, "limit", most_listed, 1, most_listed);
  const auto after = api::parameter(asked, "after");
  if (after && !is_uuid(*after)) {
    throw request_error(problem(400, "bad_request", "after must be `next` of the page before"));
  }
  const auto mine = co_await api::borrow_session(with);
  auto found = co_await deliveries_of(*mine, source, after, limit + 1);
  ordered_json next;
  if (static_cast<int>(found.size()) > limit) {
    found.pop_back();
    next = found.back().id;
  }
  co_return answer(200, ordered_json{{"items", as_array(found)}, {"next", next}});
}

asio::awaitable<answer> show_one(api::services& with, const request& asked) {
  const auto id = api::id_parameter(asked);
  const auto mine = co_await api::borrow_session(with);
  const auto found = co_await find_delivery(*mine, id);
  if (!found) throw request_error(problem(404, "not_found", "there is no delivery " + id));
  co_return answer(200, to_json(*found));
}

asio::awaitable<answer> send_one(api::services& with, const request& asked) {
  const auto id = api::id_parameter(asked);
  const auto mine = co_await api::borrow_session(with);
  co_await send_again(*mine, id);
  co_return answer(200, ordered_json{{"id", id}, {"status", "queued"}});
}

asio::awaitable<answer> send_all(api::services& with, const request& asked) {
  auto filter = filter_of(asked);
  filter.limit = sent_at_a_time;
  const auto mine = co_await api::borrow_session(with);
  const auto count = co_await send_failed_again(*mine, filter);
  co_return answer(200, ordered_json{{"sent", count}, {"complete", count < sent_at_a_time}});
}

std::vector<api::query_parameter> filters() {
  return {{"url", "string", "Only those for this receiver"},
          {"source", "string", "Only those about this"}};
}

std::vector<api::query_parameter> pages_of_list() {
  return {{"limit", "integer", "At most so many, up to 200"},
          {"after", "string", "`next` of the page before"}};
}

std::vector<api::query_parameter> list_filters() {
  auto out = filters();
  for (const auto& each : pages_of_list()) out.push_back(each);
  return out;
}

}  // namespace

std::vector<api::route> make_routes(const asio::any_io_executor&, const environment&) {
  using enum api::http::verb;
  using enum api::access;
  return {
      {.method = get,
       .path = "/api/webhooks/undelivered",
       .who = read_all,
       .run = list_undelivered,
       .summary = "Deliveries that were given up, the latest first",
       .query = list_filters()},
      {.method = get,
       .path = "/api/webhooks/retrying",
       .who = read_all,
       .run = list_retrying,
       .summary = "Deliveries that have failed and will be tried again, the next one first",
       .query = list_filters()},
      {.method = get,
       .path = "/api/webhooks/about/{source}",
       .who = read_all,
       .run = list_of_source,
       .summary = "The deliveries about one thing, such as a relay job",
       .query = pages_of_list()},
      {.method = post,
       .path = "/api/webhooks/send-again",
       .who = change_all,
       .run = send_all,
       .summary = "Send up to 1000 deliveries again that were given up, the oldest first",
       .query = filters()},
      {.method = get,
       .path = "/api/webhooks/deliveries/{id}",
       .who = read_all,
       .run = show_one,
       .summary = "A delivery with its payload and the receiver's last answer"},
      {.method = post,
       .path = "/api/webhooks/deliveries/{id}/send-again",
       .who = change_all,
       .run = send_one,
       .summary = "Send an event once more, under the same id"},
  };
}

}  // namespace rowrunner::webhooks
