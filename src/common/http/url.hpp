#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

namespace rowrunner::http {

/// The server that a URL names.
struct origin {
  bool tls = false;
  std::string host;  ///< In lower case, an IPv6 address without its brackets.
  std::uint16_t port = 0;

  auto operator<=>(const origin&) const = default;

  /// As in the Host header: the port only if it is not the usual one.
  std::string authority() const;
  /// For messages: scheme://host:port.
  std::string text() const;
};

/// An http or https URL, checked and in the parts that a request needs.
struct url {
  origin server;
  std::string target;  ///< Path and query, as they stand in the request line.

  std::string text() const { return server.text() + target; }
};

/// Throws error (bad_url), which does not quote the text. A fragment is left out; credentials in
/// the URL are refused, as they would end up in logs.
url parse_url(std::string_view text);

/// What a Location header means in an answer from `base`. Throws error (bad_url).
url resolve_reference(const url& base, std::string_view reference);

/// Everything but letters, digits and -._~ as %XX: fit for a query value or one path segment.
std::string percent_encode(std::string_view text);
/// The opposite; what is not %XX stays as it is.
std::string percent_decode(std::string_view text);

}  // namespace rowrunner::http
