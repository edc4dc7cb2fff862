#include <boost/beast/core/string.hpp>

#include "api/ask.hpp"
#include "api/authenticate.hpp"
#include "api/hourly_limit.hpp"
#include "api/routes.hpp"
#include "queries/api.hpp"

namespace rowrunner::api {
namespace {

using nlohmann::ordered_json;

constexpr int session_seconds = 12 * 60 * 60;
constexpr int ticket_seconds = 30;
/// Each sign-in is a row for 12 hours.
constexpr int sign_ins_an_hour = 60;

answer refuse(const problem& why, const request& asked) { return error_answer(why, asked.id); }

/// A new secret for the user who has shown `given`, stored; nothing if that proves nothing any
/// more.
asio::awaitable<std::optional<std::string>> store_secret(services& with, const query& insert,
                                                         std::string_view prefix, credential given,
                                                         int seconds) {
  const auto statement = insert.statement();
  const auto secret = new_secret();
  auto call = with_proof(statement, given);
  call.params.emplace_back(hash_of(secret));
  call.params.emplace_back(std::to_string(seconds));
  const auto row = co_await ask_about_caller(with, std::move(call));
  if (row.is_null(0, 0)) co_return std::nullopt;
  co_return key_text(prefix, row.get_int(0, 0), secret);
}

std::string cookie(const request& asked, std::string_view value, int seconds) {
  // Only a proxy knows that the browser uses https; without it, Secure would lose the cookie.
  const bool secure = boost::beast::iequals(asked.head["X-Forwarded-Proto"], "https");
  std::string out(session_cookie);
  out.append("=").append(value).append("; Path=/; HttpOnly; SameSite=Strict; Max-Age=");
  out.append(std::to_string(seconds)).append(secure ? "; Secure" : "");
  return out;
}

ordered_json describe(const identity& who) {
  return {{"user", who.user}, {"role", name_of(who.as)}};
}

std::optional<problem> read_token(const request& asked, credential& out) {
  nlohmann::json body;
  std::string text;
  if (auto why = read_object(asked, {"token"}, body)) return why;
  if (auto why = read_text(body, "token", text)) return why;
  auto key = parse_key(token_prefix, text);
  if (key) out = {credential::kind::bearer, std::move(*key)};
  return std::nullopt;
}

}  // namespace

asio::awaitable<answer> sign_in(services& with, const request& asked) {
  if (origin_of(asked.head) == origin::other) {
    const problem why(403, "forbidden", "a sign-in must come from a page of this server");
    co_return refuse(why, asked);
  }
  credential given;
  if (const auto why = read_token(asked, given)) co_return refuse(*why, asked);
  std::optional<identity> who;
  if (given.type == credential::kind::bearer) who = co_await identity_of(with, given);
  const problem unknown(401, "unauthorized", "the token is unknown or revoked");
  if (!who) co_return refuse(unknown, asked);
  const auto too_many = co_await count_call(with, who->user, "POST /api/session", sign_ins_an_hour);
  if (too_many) co_return refuse(*too_many, asked);
  const auto value =
      co_await store_secret(with, queries::web_session_add, session_prefix, given, session_seconds);
  if (!value) co_return refuse(unknown, asked);
  answer out(200, describe(*who));
  out.headers.emplace_back("Set-Cookie", cookie(asked, *value, session_seconds));
  co_return out;
}

asio::awaitable<answer> who_am_i(services&, const request& asked) {
  co_return answer(200, describe(asked.who));
}

asio::awaitable<answer> sign_out(services& with, const request& asked) {
  if (asked.who.session != 0) {
    const auto statement = queries::web_session_end.statement();
    auto call = with_proof(statement, credential_of(asked, false));
    co_await ask_about_caller(with, std::move(call));
  }
  answer out;
  out.headers.emplace_back("Set-Cookie", cookie(asked, "", 0));
  co_return out;
}

asio::awaitable<answer> make_ticket(services& with, const request& asked) {
  if (asked.who.token == 0) {
    const problem why(409, "no_token", "without a token no ticket is needed");
    co_return refuse(why, asked);
  }
  const auto ticket = co_await store_secret(with, queries::ticket_add, ticket_prefix,
                                            credential_of(asked, false), ticket_seconds);
  if (!ticket) {
    const problem why(401, "unauthorized", "the token was revoked");
    co_return refuse(why, asked);
  }
  co_return answer(201, ordered_json{{"ticket", *ticket}, {"expires_in", ticket_seconds}});
}

}  // namespace rowrunner::api
