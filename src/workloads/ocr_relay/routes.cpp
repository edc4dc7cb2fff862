#include "workloads/ocr_relay/routes.hpp"

#include <algorithm>

#include "api/ask.hpp"
#include "common/errors.hpp"
#include "common/http/address_policy.hpp"
#include "common/text.hpp"
#include "queries/ocr_relay.hpp"
#include "workloads/ocr_relay/caller.hpp"
#include "workloads/ocr_relay/job_details.hpp"
#include "workloads/ocr_relay/settings.hpp"
#include "workloads/ocr_relay/submission.hpp"
#include "workloads/providers/files.hpp"

namespace rowrunner::ocr_relay {
namespace {

namespace asio = boost::asio;
using api::answer;
using api::problem;
using api::request;
using api::request_error;
using nlohmann::ordered_json;

struct relay_rules {
  http::address_policy addresses;
  std::chrono::milliseconds summary_wait;
};

/// What can be seen of an address before it is looked up; the rest is seen when it is called.
void check_reachable(const relay_rules& rules, const std::string& url, const std::string& field) {
  http::url parsed;
  try {
    parsed = http::parse_url(url);
  } catch (const http::error&) {
    throw bad_input(field + " must be an http or https address without credentials");
  }
  auto why = rules.addresses.refusal(parsed.server);
  boost::system::error_code not_literal;
  const auto literal = asio::ip::make_address(parsed.server.host, not_literal);
  if (!why && !not_literal) why = rules.addresses.refusal(parsed.server, {literal});
  // A port that only an allowed network may have is a matter of the look-up.
  const auto& ports = rules.addresses.ports;
  const bool usual = std::find(ports.begin(), ports.end(), parsed.server.port) != ports.end();
  if (!usual && rules.addresses.allowed.empty()) why = "port";
  if (why) throw bad_input(field + " is an address that is refused");
}

std::optional<std::string> json_text(const ordered_json& value) {
  if (value.is_null()) return std::nullopt;
  return value.dump();
}

asio::awaitable<answer> submit(std::shared_ptr<const relay_rules> rules, api::services& with,
                               const request& asked) {
  const submission wanted = parse_submission(asked.body);
  check_reachable(*rules, wanted.webhook_url, "webhook.url");
  if (providers::origin_of(wanted.file_id) == providers::file_origin::web) {
    check_reachable(*rules, wanted.file_id, "fileId");
  }
  const auto statement = queries::relay_submit.statement();
  const auto wait = std::to_string(std::chrono::duration<double>(rules->summary_wait).count());
  const auto row = co_await api::ask_database(
      with,
      pg::with(statement, wanted.order_id, wanted.file_id, wanted.prompt, wanted.pattern,
               wanted.masters.dump(), wanted.webhook_url, wanted.webhook_token, wanted.success_by,
               json_text(wanted.gemini), json_text(wanted.options), wanted.idempotency_key, wait));
  co_return answer(200, ordered_json{{"job_id", row.get(0, 0)},
                                     {"correlation_id", row.get(0, 1)},
                                     {"status", "RECEIVED"}});
}

asio::awaitable<answer> show(api::services& with, const request& asked) {
  const auto id = asked.params.find("job_id")->second;
  check_text("job_id", id);
  const auto mine = co_await api::borrow_session(with);
  const auto found = co_await find_job(*mine, id);
  if (!found) throw request_error(problem(404, "not_found", "there is no such job"));
  co_return answer(200, *found);
}

asio::awaitable<answer> healthy(api::services&, const request&) {
  co_return answer(200, ordered_json{{"status", "ok"}});
}

constexpr std::string_view example =
    R"({"orderId": "abc123", "fileId": "1AbCdEf", "prompt": "Read the order.",
        "masters": {"shipCsv": "id,name\n1,Osaka", "itemCsv": "id,name\n7,Bolt"},
        "webhook": {"url": "https://script.google.com/macros/s/x/exec", "token": "t"}})";

}  // namespace

std::vector<api::route> make_routes(const asio::any_io_executor&, const environment& env) {
  const auto token = relay_token(env);
  if (!token) return {};
  using enum api::http::verb;
  const auto rules = std::make_shared<const relay_rules>(
      relay_rules{http::outbound_policy(env), summary_wait(env)});
  const auto take = [rules](api::services& with, const request& asked) {
    return submit(rules, with, asked);
  };
  const auto check = [token = *token](const request& asked) { return check_bearer(asked, token); };
  return {
      {.method = post,
       .path = "/jobs",
       .who = api::access::anyone,
       .run = take,
       .summary = "Read a PDF page by page, and send each page and a summary to a webhook",
       .body_bytes = most_body_bytes,
       .check_caller = check,
       .refuse = error_in_document_words,
       .body_example = example},
      {.method = get,
       .path = "/jobs/{job_id}",
       .who = api::access::anyone,
       .run = show,
       .summary = "A job of the relay with its pages",
       .check_caller = check,
       .refuse = error_in_document_words},
  };
}

api::route health_route() {
  return {.method = api::http::verb::get,
          .path = "/healthz",
          .who = api::access::anyone,
          .run = healthy,
          .summary = "Whether the relay serves",
          .always = true,
          .without_database = true};
}

}  // namespace rowrunner::ocr_relay
