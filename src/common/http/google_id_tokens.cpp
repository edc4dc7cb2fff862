#include "common/http/google_id_tokens.hpp"

#include <algorithm>
#include <charconv>
#include <rowrunner/bad_input.hpp>

#include "common/foreign_json.hpp"
#include "common/http/error.hpp"

namespace rowrunner::http {
namespace {

/// Tokens with made-up keys must not make this server ask for keys all the time.
constexpr std::chrono::seconds between_unknown_keys{30};
constexpr std::chrono::seconds between_fetches{1};

}  // namespace

std::chrono::seconds time_to_keep(const response& answer) {
  const auto text = answer.headers.get("Cache-Control").value_or("");
  constexpr std::string_view name = "max-age=";
  const auto at = text.find(name);
  std::int64_t seconds = 300;
  if (at != std::string::npos) {
    const char* const begin = text.data() + at + name.size();
    std::int64_t given = 0;
    if (std::from_chars(begin, text.data() + text.size(), given).ec == std::errc{}) seconds = given;
  }
  return std::chrono::seconds(std::clamp<std::int64_t>(seconds, 60, 86'400));
}

google_id_tokens::google_id_tokens(client& http, std::string keys_url, id_token_rules rules,
                                   now_function now)
    : http_(http), keys_url_(std::move(keys_url)), rules_(std::move(rules)), now_(std::move(now)) {}

bool google_id_tokens::needs_keys(const std::string& key_id) const {
  const auto now = now_();
  if (keys_.empty() || now >= fresh_until_) return now >= asked_ + between_fetches;
  return !keys_.has(key_id) && now >= asked_ + between_unknown_keys;
}

asio::awaitable<void> google_id_tokens::fetch_keys() {
  asked_ = now_();
  request wanted(keys_url_);
  wanted.timeout = std::chrono::seconds(10);
  wanted.max_body = 256 * 1024;
  const auto answer = co_await http_.send(std::move(wanted));
  if (!answer.ok()) {
    throw error(error_kind::protocol,
                "the keys of ID tokens: status " + std::to_string(answer.status));
  }
  try {
    keys_ = json_web_keys(answer.body);
  } catch (const foreign_json_error& wrong) {
    throw error(error_kind::protocol,
                std::string("the answer for keys of ID tokens ") + wrong.what());
  }
  fresh_until_ = now_() + time_to_keep(answer);
}

asio::awaitable<std::string> google_id_tokens::refusal(std::string token) {
  id_token parsed;
  try {
    parsed = parse_id_token(token);
  } catch (const bad_input& wrong) {
    co_return wrong.what();
  }
  if (needs_keys(parsed.key_id)) co_await fetch_keys();
  if (keys_.empty()) throw error(error_kind::no_answer, "there are no keys of ID tokens yet");
  co_return refusal_of(parsed, keys_, rules_, now_());
}

}  // namespace rowrunner::http
