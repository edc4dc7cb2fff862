#include "workloads/pdf_batch/push.hpp"

#include <boost/beast/core/string.hpp>

#include "api/ask.hpp"
#include "common/errors.hpp"
#include "common/http/address_policy.hpp"
#include "common/http/error.hpp"
#include "common/http/url.hpp"
#include "workloads/pdf_batch/enqueue.hpp"
#include "workloads/pdf_batch/pubsub_message.hpp"
#include "workloads/pdf_batch/take_message.hpp"

namespace rowrunner::pdf_batch {
namespace {

using api::problem;
using api::request_error;

constexpr const char* googles_keys = "https://www.googleapis.com/oauth2/v3/certs";

std::string keys_url(const environment& env) {
  const auto url = env.get("PUBSUB_PUSH_JWKS_URL").value_or(googles_keys);
  try {
    // An attacker who changes the keys on their way could sign tokens.
    http::check_private(http::parse_url(url).server, "PUBSUB_PUSH_JWKS_URL");
  } catch (const http::error&) {
    throw usage_error("PUBSUB_PUSH_JWKS_URL is not an http or https URL");
  }
  return url;
}

std::string bearer_of(const api::request& asked) {
  const std::string_view value = asked.head[api::http::field::authorization];
  constexpr std::string_view scheme = "Bearer ";
  if (value.size() <= scheme.size()) return "";
  if (!boost::beast::iequals(value.substr(0, scheme.size()), scheme)) return "";
  return std::string(value.substr(scheme.size()));
}

}  // namespace

push_subscription::push_subscription(const asio::any_io_executor& executor, const environment& env)
    : http_(executor) {
  const auto audience = env.get("PUBSUB_PUSH_AUDIENCE");
  const auto account = env.get("PUBSUB_PUSH_SERVICE_ACCOUNT");
  if (audience.has_value() != account.has_value()) {
    throw usage_error(
        "PUBSUB_PUSH_AUDIENCE and PUBSUB_PUSH_SERVICE_ACCOUNT belong together: set both, or none");
  }
  if (!audience) return;
  http::id_token_rules rules;
  rules.audience = *audience;
  rules.email = *account;
  tokens_.emplace(http_, keys_url(env), std::move(rules));
}

asio::awaitable<void> push_subscription::check(api::services& with, const api::request& asked) {
  if (!tokens_) {
    throw request_error(problem(404, "not_found",
                                "this server takes no messages of Pub/Sub: set "
                                "PUBSUB_PUSH_AUDIENCE and PUBSUB_PUSH_SERVICE_ACCOUNT"));
  }
  const auto token = bearer_of(asked);
  if (token.empty()) {
    throw request_error(problem(401, "unauthorized", "this needs an ID token of Google"));
  }
  std::string wrong, away;
  try {
    wrong = co_await tokens_->refusal(token);
  } catch (const http::error& error) {
    away = error.what();
  }
  if (!away.empty()) {
    with.log->warn("the keys of ID tokens cannot be had", {{"error", away}});
    throw request_error(problem(503, "unavailable", "the token cannot be checked now", true));
  }
  if (wrong.empty()) co_return;
  with.log->warn("an ID token was refused", {{"request_id", asked.id}, {"reason", wrong}});
  throw request_error(problem(403, "forbidden", "the ID token is refused: " + wrong));
}

asio::awaitable<api::answer> push_subscription::take(api::services& with,
                                                     const api::request& asked) {
  const auto sent = read_push_body(asked.body);
  const auto mine = co_await api::borrow_session(with);
  co_await take_message(*mine, *with.log, "push", sent);
  co_return api::answer();
}

}  // namespace rowrunner::pdf_batch
