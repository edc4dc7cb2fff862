#include "api/credential.hpp"

#include <boost/beast/core/string.hpp>

namespace rowrunner::api {
namespace {

using boost::beast::iequals;

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ') || text.starts_with('\t')) text.remove_prefix(1);
  while (text.ends_with(' ') || text.ends_with('\t')) text.remove_suffix(1);
  return text;
}

/// The value of the first cookie of that name; empty if there is none.
std::string_view cookie_value(std::string_view header, std::string_view name) {
  while (!header.empty()) {
    const auto end = std::min(header.find(';'), header.size());
    const auto pair = trimmed(header.substr(0, end));
    if (pair.size() > name.size() && pair.starts_with(name) && pair[name.size()] == '=') {
      return pair.substr(name.size() + 1);
    }
    header.remove_prefix(std::min(end + 1, header.size()));
  }
  return {};
}

credential read(credential::kind type, std::string_view prefix, std::string_view text) {
  auto key = parse_key(prefix, text);
  if (!key) return {credential::kind::malformed, {}};
  return {type, std::move(*key)};
}

/// "example.org:8080" of "https://example.org:8080".
std::string_view authority_of(std::string_view url) {
  const auto scheme = url.find("://");
  return scheme == std::string_view::npos ? std::string_view() : url.substr(scheme + 3);
}

std::string_view without_port(std::string_view host) {
  if (host.starts_with('[')) return host.substr(0, host.find(']') + 1);
  return host.substr(0, host.find(':'));
}

}  // namespace

credential credential_of(const request& asked, bool takes_ticket) {
  using kind = credential::kind;
  const std::string_view authorization = asked.head[http::field::authorization];
  if (!authorization.empty()) {
    const auto blank = std::min(authorization.find(' '), authorization.size());
    if (!iequals(authorization.substr(0, blank), "Bearer")) return {kind::malformed, {}};
    return read(kind::bearer, token_prefix, trimmed(authorization.substr(blank)));
  }
  if (takes_ticket) {
    const auto ticket = asked.query.find("ticket");
    if (ticket != asked.query.end()) return read(kind::ticket, ticket_prefix, ticket->second);
  }
  const auto [first, last] = asked.head.equal_range(http::field::cookie);
  for (auto at = first; at != last; ++at) {
    const auto value = cookie_value(at->value(), session_cookie);
    if (!value.empty()) return read(kind::cookie, session_prefix, value);
  }
  return {};
}

origin origin_of(const request_head& head) {
  const std::string_view site = head["Sec-Fetch-Site"];
  if (!site.empty()) return site == "same-origin" ? origin::same : origin::other;
  const std::string_view from = head[http::field::origin];
  if (from.empty()) return origin::unknown;
  const std::string_view host = head[http::field::host];
  return !host.empty() && iequals(authority_of(from), host) ? origin::same : origin::other;
}

bool is_safe(http::verb method) {
  return method == http::verb::get || method == http::verb::head || method == http::verb::options;
}

bool asks_this_machine(const request_head& head) {
  for (const char* name : {"Forwarded", "X-Forwarded-For", "X-Real-IP", "Via"}) {
    if (head.count(name) > 0) return false;
  }
  const auto host = without_port(head[http::field::host]);
  return iequals(host, "localhost") || host == "127.0.0.1" || host == "[::1]";
}

}  // namespace rowrunner::api
