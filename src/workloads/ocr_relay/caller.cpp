#include "workloads/ocr_relay/caller.hpp"

#include <boost/beast/core/string.hpp>

#include "api/secret.hpp"
#include "workloads/ocr_relay/words.hpp"

namespace rowrunner::ocr_relay {
namespace {

const char* code_of(int status) {
  switch (status) {
    case 400:
    case 413:
      return words::invalid_argument;
    case 401:
      return words::unauthenticated;
    case 404:
      return words::not_found;
    case 503:
      return words::unavailable;
    default:
      return status < 500 ? words::failed_precondition : words::internal;
  }
}

}  // namespace

std::optional<api::problem> check_bearer(const api::request& asked, const std::string& token) {
  constexpr std::string_view scheme = "Bearer ";
  const std::string_view given = asked.head[api::http::field::authorization];
  const bool is_bearer = boost::beast::iequals(given.substr(0, scheme.size()), scheme);
  const std::string_view secret = is_bearer ? given.substr(scheme.size()) : std::string_view();
  // Of equal length, whatever was sent.
  if (is_bearer && api::same_hash(api::hash_of(secret), api::hash_of(token))) return std::nullopt;
  api::problem out(401, "unauthorized", "this needs Authorization: Bearer and the relay's token");
  out.headers.emplace_back("WWW-Authenticate", "Bearer");
  return out;
}

api::answer error_in_document_words(const api::problem& why) {
  api::answer out(
      why.status,
      nlohmann::ordered_json{{"error", {{"code", code_of(why.status)}, {"message", why.message}}}});
  out.headers = why.headers;
  return out;
}

}  // namespace rowrunner::ocr_relay
