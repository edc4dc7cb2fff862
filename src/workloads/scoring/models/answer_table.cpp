#include "workloads/scoring/models/answer_table.hpp"

#include <algorithm>
#include <charconv>

#include "common/foreign_json.hpp"
#include "common/text.hpp"

namespace rowrunner::scoring {

using nlohmann::json;
using std::chrono::milliseconds;

namespace {

constexpr milliseconds longest_wait{600'000};

/// {"error": {…}}, or Gemini's [{"error": {…}}].
json error_of(const std::string& body) {
  auto value = foreign_json_or_null(body);
  if (value.is_array() && !value.empty()) value = json(value[0]);
  if (!value.is_object() || !value.contains("error")) return nullptr;
  return value["error"];
}

std::string words_of(const json& error) {
  const auto words = error.is_object()   ? text_member(error, "message")
                     : error.is_string() ? error.get<std::string>()
                                         : "";
  return words.empty() ? "" : ": " + printable(words, 500);
}

bool has_detail(const json& error, const char* member, const char* value) {
  if (!error.is_object() || !error.contains("details") || !error["details"].is_array()) {
    return false;
  }
  for (const auto& each : error["details"]) {
    if (text_member(each, member) == value) return true;
  }
  return false;
}

std::optional<milliseconds> retry_info(const json& error) {
  if (!error.is_object() || !error.contains("details") || !error["details"].is_array()) {
    return std::nullopt;
  }
  for (const auto& each : error["details"]) {
    if (text_member(each, "@type") != "type.googleapis.com/google.rpc.RetryInfo") continue;
    return read_duration(text_member(each, "retryDelay"));
  }
  return std::nullopt;
}

std::optional<milliseconds> positive(std::optional<milliseconds> time) {
  if (!time || time->count() <= 0) return std::nullopt;
  return std::min(*time, longest_wait);
}

std::optional<milliseconds> wait_of(const http::response& answer, const json& error) {
  if (const auto ms = answer.headers.get("retry-after-ms")) {
    if (const auto time = positive(read_duration(*ms + "ms"))) return time;
  }
  if (const auto time = positive(http::retry_after(answer))) return time;
  for (const char* name : {"x-ratelimit-reset-requests", "ratelimit-reset"}) {
    const auto text = answer.headers.get(name);
    if (const auto time = text ? positive(read_duration(*text)) : std::nullopt) return time;
  }
  return positive(retry_info(error));
}

/// A quota that is not back within minutes: to wait for it would only burn time.
bool quota_is_spent(const json& error) {
  if (!error.is_object()) return false;
  const auto code = text_member(error, "code");
  const auto type = text_member(error, "type");
  if (code == "insufficient_quota" || type == "insufficient_quota" ||
      code == "billing_hard_limit_reached") {
    return true;
  }
  return error.dump(-1, ' ', false, json::error_handler_t::replace).find("PerDay") !=
         std::string::npos;
}

reply_kind kind_of(int status, const json& error, bool says_when) {
  switch (status) {
    case 400:
      return has_detail(error, "reason", R"(API_KEY_INVALID)") ||
                     text_member(error, "code") == "invalid_api_key"
                 ? reply_kind::key_dead
                 : reply_kind::row_fails;
    case 401:
    case 402:
    case 403:
    case 404:
      return reply_kind::key_dead;
    case 408:
    case 409:
    case 425:
      return reply_kind::retry;
    case 429:
      return quota_is_spent(error) ? reply_kind::key_dead : reply_kind::busy;
    case 503:
      return says_when ? reply_kind::busy : reply_kind::retry;
    case 529:
      return reply_kind::busy;
    default:
      break;
  }
  if (status >= 500) return reply_kind::retry;
  return status < 400 ? reply_kind::key_dead : reply_kind::row_fails;
}

}  // namespace

reply refusal(const http::response& answer, const std::string& who) {
  const auto error = error_of(answer.body);
  reply out;
  out.status = answer.status;
  out.headers = answer.headers;
  out.after = wait_of(answer, error);
  out.kind = kind_of(answer.status, error, out.after.has_value());
  out.text = who + " answered " + std::to_string(answer.status) + words_of(error);
  return out;
}

reply no_answer(const http::error& why) {
  reply out;
  out.text = why.what();
  out.maybe_paid = why.kind() == http::error_kind::timeout ||
                   why.kind() == http::error_kind::truncated ||
                   why.kind() == http::error_kind::too_large;
  // An answer that is too large or broken is a bad answer: the next one may be better.
  const bool again =
      http::is_temporary(why.kind()) || out.maybe_paid || why.kind() == http::error_kind::protocol;
  out.kind = again ? reply_kind::retry : reply_kind::key_dead;
  return out;
}

std::optional<milliseconds> read_duration(const std::string& text) {
  double total = 0;
  const char* at = text.data();
  const char* const end = at + text.size();
  if (at == end) return std::nullopt;
  while (at != end) {
    double number = 0;
    const auto [next, error] = std::from_chars(at, end, number);
    if (error != std::errc{} || !(number >= 0 && number < 1e9)) return std::nullopt;
    const std::string_view rest(next, static_cast<std::size_t>(end - next));
    const auto unit = rest.substr(0, rest.find_first_of("0123456789."));
    const double scale = unit.empty() || unit == "s" ? 1'000
                         : unit == "ms"              ? 1
                         : unit == "m"               ? 60'000
                         : unit == "h"               ? 3'600'000
                                                     : -1;
    if (scale < 0) return std::nullopt;
    total += number * scale;
    at = next + unit.size();
  }
  return milliseconds(static_cast<std::int64_t>(total));
}

}  // namespace rowrunner::scoring
