#include "workloads/scoring/sheets/sheets_client.hpp"

#include "common/errors.hpp"
#include "common/foreign_json.hpp"
#include "common/http/address_policy.hpp"
#include "common/http/url.hpp"
#include "common/text.hpp"
#include "workloads/scoring/models/answer_table.hpp"

namespace rowrunner::scoring {

using nlohmann::json;

namespace {

constexpr std::size_t largest_answer = 32 * 1024 * 1024;

std::string base_url_from(const environment& env) {
  const std::string name = "SHEETS_BASE_URL";
  auto url = env.get(name).value_or("https://sheets.googleapis.com");
  while (url.ends_with('/')) url.pop_back();
  try {
    http::check_private(http::parse_url(url).server, name);
  } catch (const http::error& why) {
    throw usage_error(name + ": " + why.what());
  }
  return url;
}

[[noreturn]] void refuse(const http::response& answer) {
  const auto meaning = refusal(answer, "Google Sheets");
  const bool passes = meaning.kind == reply_kind::busy || meaning.kind == reply_kind::retry;
  throw sheets_error(meaning.text, passes, meaning.after);
}

}  // namespace

void check_spreadsheet_id(const std::string& id) {
  const bool fits = !id.empty() && id.size() <= 200 &&
                    id.find_first_not_of(
                        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                        "0123456789-_") == std::string::npos;
  if (!fits) throw bad_input("'" + printable(id, 220) + "' is no id of a spreadsheet");
}

sheets_client::sheets_client(http::client& http, const environment& env)
    : http_(http),
      base_url_(base_url_from(env)),
      auth_(http, http::google_credentials_from(env),
            "https://www.googleapis.com/auth/spreadsheets") {}

asio::awaitable<json> sheets_client::send(http::request wanted) {
  wanted.max_body = largest_answer;
  wanted.timeout = std::chrono::seconds(60);
  try {
    const auto authorization = co_await auth_.authorization();
    if (!authorization.empty()) wanted.headers.set("Authorization", authorization);
    const auto answer = co_await http_.send(std::move(wanted));
    if (answer.status == 401) {
      auth_.refused(authorization);
      throw sheets_error("Google Sheets answered 401", true);
    }
    if (!answer.ok()) refuse(answer);
    co_return parse_foreign_json(answer.body, {largest_answer, 16, 5'000'000});
  } catch (const http::auth_error& why) {
    throw sheets_error(why.what(), why.temporary, why.retry_after);
  } catch (const http::error& why) {
    throw sheets_error(why.what(), http::is_temporary(why.kind()));
  } catch (const foreign_json_error& why) {
    throw sheets_error(std::string("the answer of Google Sheets ") + why.what(), true);
  }
}

asio::awaitable<std::vector<json>> sheets_client::get(std::string spreadsheet,
                                                      std::vector<std::string> ranges) {
  std::string url = base_url_ + "/v4/spreadsheets/" + spreadsheet +
                    "/values:batchGet?majorDimension=ROWS&valueRenderOption=UNFORMATTED_VALUE";
  for (const auto& each : ranges) url += "&ranges=" + http::percent_encode(each);
  http::request wanted(std::move(url));
  const auto answer = co_await send(std::move(wanted));
  if (!answer.is_object() || !answer.contains("valueRanges") || !answer["valueRanges"].is_array() ||
      answer["valueRanges"].size() != ranges.size()) {
    throw sheets_error("Google Sheets answered without the ranges that were asked for", true);
  }
  std::vector<json> out;
  for (const auto& each : answer["valueRanges"]) {
    const bool has = each.is_object() && each.contains("values") && each["values"].is_array();
    out.push_back(has ? json(each["values"]) : json::array());
  }
  co_return out;
}

asio::awaitable<void> sheets_client::update(std::string spreadsheet, std::string body) {
  http::request wanted(base_url_ + "/v4/spreadsheets/" + spreadsheet + "/values:batchUpdate",
                       "POST");
  wanted.headers.add("Content-Type", "application/json");
  wanted.body = std::move(body);
  co_await send(std::move(wanted));
}

}  // namespace rowrunner::scoring
