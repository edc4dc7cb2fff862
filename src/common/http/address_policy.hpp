#pragma once

#include <boost/asio/ip/address.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/environment.hpp"
#include "common/http/url.hpp"

namespace rowrunner::http {

/// A block of addresses, such as 10.0.0.0/8 or ::1/128.
struct network {
  boost::asio::ip::address base;
  unsigned prefix = 0;  ///< The number of leading bits that count.

  bool contains(const boost::asio::ip::address& address) const;
};

/// Networks with commas between them; an address without a prefix is a network of one. Throws
/// usage_error that begins with `name` and quotes the entry.
std::vector<network> parse_networks(std::string_view text, const std::string& name);

/// Where requests may go whose address was named by others. All decisions are made without
/// I/O; client asks for them before each look-up and after it, at every redirect.
struct address_policy {
  /// Reachable in spite of what they are, and at every port.
  std::vector<network> allowed{};
  /// For all other addresses.
  std::vector<std::uint16_t> ports{80, 443};
  bool plain_http = true;

  /// Why no request may be sent there, whatever the addresses are; nothing if it may.
  std::optional<std::string> refusal(const origin& server) const;
  /// The same, for the addresses that the host has. One bad address among good ones is enough.
  std::optional<std::string> refusal(const origin& server,
                                     const std::vector<boost::asio::ip::address>& found) const;
};

/// OUTBOUND_ALLOW (networks) and OUTBOUND_PORTS, both with commas. Throws usage_error.
address_policy outbound_policy(const environment& settings);

/// What kind of special address this is, as in "loopback"; nothing for one on the public internet.
std::optional<std::string> special_purpose(const boost::asio::ip::address& address);

/// True for localhost and addresses of the machine itself. Nothing is looked up.
bool is_loopback(std::string_view host);
/// True for an address such as 169.254.169.254.
bool is_link_local(std::string_view host);

/// Throws usage_error that begins with `name` unless what is sent there stays private: by TLS, or
/// on this machine. For servers that get a key or a token.
void check_private(const origin& server, const std::string& name);

}  // namespace rowrunner::http
