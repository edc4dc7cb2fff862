#include "common/http/request_head.hpp"

#include <algorithm>
#include <array>

#include "common/http/address_policy.hpp"
#include "common/http/error.hpp"
#include "common/version.hpp"

namespace rowrunner::http {
namespace {

// RFC 9110, "token".
bool is_token(std::string_view text) {
  constexpr std::string_view marks = "!#$%&'*+-.^_`|~";
  return !text.empty() && std::all_of(text.begin(), text.end(), [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           marks.find(c) != std::string_view::npos;
  });
}

bool is_value(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](unsigned char c) { return c == '\t' || (c >= 0x20 && c != 0x7F); });
}

[[noreturn]] void refuse(const url& where, const std::string& why) {
  throw error(error_kind::bad_request, where.server.text() + ": " + why);
}

void check(const request& wanted, const url& where) {
  if (!is_token(wanted.method) || wanted.method == "CONNECT") {
    refuse(where, "the method of the request cannot be sent");
  }
  for (const auto& [field, value] : wanted.headers) {
    if (!is_token(field)) refuse(where, "a header of the request has a broken name");
    if (!is_value(value)) refuse(where, "a control character in the header " + field);
  }
  if (!where.server.tls && wanted.headers.contains("Authorization") &&
      !is_loopback(where.server.host)) {
    refuse(where, "credentials are sent over https only, or to this machine");
  }
  static constexpr std::array<const char*, 4> own{"Host", "Content-Length", "Transfer-Encoding",
                                                  "Connection"};
  for (const std::string field : own) {
    if (wanted.headers.contains(field)) refuse(where, "only the client itself sends " + field);
  }
}

bool announces_length(const request& wanted) {
  return wanted.source || !wanted.body.empty() || wanted.method == "POST" ||
         wanted.method == "PUT" || wanted.method == "PATCH";
}

}  // namespace

std::string request_head(const request& wanted, const url& where) {
  check(wanted, where);
  std::string out = wanted.method + " " + where.target + " HTTP/1.1\r\n";
  out += "Host: " + where.server.authority() + "\r\n";
  if (!wanted.headers.contains("User-Agent")) {
    out += "User-Agent: rowrunner/" + std::string(version) + "\r\n";
  }
  for (const auto& [field, value] : wanted.headers) {
    out.append(field).append(": ").append(value).append("\r\n");
  }
  if (announces_length(wanted)) {
    const std::uint64_t size = wanted.source ? wanted.source->size() : wanted.body.size();
    out += "Content-Length: " + std::to_string(size) + "\r\n";
  }
  return out + "\r\n";
}

}  // namespace rowrunner::http
