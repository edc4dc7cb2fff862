#include "common/http/address_policy.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "common/errors.hpp"
#include "common/text.hpp"

namespace rowrunner::http {
namespace {

using boost::asio::ip::address;

struct special_network {
  const char* text;
  const char* purpose;
};

// The registries of special-purpose addresses (RFC 6890 and what came later), and one address of a
// cloud provider that looks public and is not.
constexpr special_network special_networks[] = {
    {"0.0.0.0/8", "this network"},
    {"10.0.0.0/8", "private"},
    {"100.64.0.0/10", "shared"},
    {"127.0.0.0/8", "loopback"},
    {"168.63.129.16/32", "the platform service of Azure"},
    {"169.254.0.0/16", "link-local"},
    {"172.16.0.0/12", "private"},
    {"192.0.0.0/24", "reserved"},
    {"192.0.2.0/24", "documentation"},
    {"192.88.99.0/24", "6to4 relay"},
    {"192.168.0.0/16", "private"},
    {"198.18.0.0/15", "benchmarking"},
    {"198.51.100.0/24", "documentation"},
    {"203.0.113.0/24", "documentation"},
    {"224.0.0.0/4", "multicast"},
    {"240.0.0.0/4", "reserved"},
    {"::1/128", "loopback"},
    {"::ffff:0:0/96", "mapped IPv4"},
    {"64:ff9b::/96", "translated IPv4 (NAT64)"},
    {"64:ff9b:1::/48", "translated IPv4 (NAT64)"},
    {"::/8", "reserved"},
    {"100::/64", "discard"},
    {"2001::/32", "translated IPv4 (Teredo)"},
    {"2001::/23", "reserved"},
    {"2001:db8::/32", "documentation"},
    {"2002::/16", "translated IPv4 (6to4)"},
    {"3fff::/20", "documentation"},
    {"5f00::/16", "segment routing"},
    {"fc00::/7", "private"},
    {"fe80::/10", "link-local"},
    {"fec0::/10", "site-local"},
    {"ff00::/8", "multicast"},
};

template <std::size_t Size>
bool same_prefix(const std::array<unsigned char, Size>& a, const std::array<unsigned char, Size>& b,
                 unsigned prefix) {
  for (unsigned bit = 0; bit < prefix; ++bit) {
    const unsigned mask = 0x80u >> bit % 8;
    if ((a[bit / 8] & mask) != (b[bit / 8] & mask)) return false;
  }
  return true;
}

std::string_view trim(std::string_view text) {
  const auto from = text.find_first_not_of(" \t");
  if (from == std::string_view::npos) return {};
  return text.substr(from, text.find_last_not_of(" \t") - from + 1);
}

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> out;
  for (;;) {
    const auto comma = text.find(',');
    out.push_back(trim(text.substr(0, comma)));
    if (comma == std::string_view::npos) return out;
    text.remove_prefix(comma + 1);
  }
}

template <typename Number>
std::optional<Number> whole_number(std::string_view text) {
  Number value{};
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// Bits behind the prefix are most often a slip: 10.1.0.0/8 is not what its author meant.
bool is_clean(const network& block) {
  const unsigned width = block.base.is_v4() ? 32 : 128;
  for (unsigned bit = block.prefix; bit < width; ++bit) {
    const unsigned mask = 0x80u >> bit % 8;
    const auto byte = block.base.is_v4() ? block.base.to_v4().to_bytes()[bit / 8]
                                         : block.base.to_v6().to_bytes()[bit / 8];
    if ((byte & mask) != 0) return false;
  }
  return true;
}

std::optional<network> parse_network(std::string_view text) {
  const auto slash = std::min(text.find('/'), text.size());
  boost::system::error_code failure;
  network out{boost::asio::ip::make_address(std::string(text.substr(0, slash)), failure)};
  if (failure || (out.base.is_v6() && out.base.to_v6().scope_id() != 0)) return std::nullopt;
  const unsigned width = out.base.is_v4() ? 32 : 128;
  const auto prefix =
      slash == text.size() ? std::optional(width) : whole_number<unsigned>(text.substr(slash + 1));
  if (!prefix || *prefix > width) return std::nullopt;
  out.prefix = *prefix;
  return is_clean(out) ? std::optional(out) : std::nullopt;
}

// What a host ends with decides whether look-ups take it for a number: 2130706433, 0x7f.1, 127.1
// and 0177.0.0.1 are all 127.0.0.1 for some of them. Only four decimal numbers are taken here.
bool is_disguised_number(std::string_view host) {
  if (host.find(':') != std::string_view::npos) return false;
  const auto last = host.substr(host.rfind('.') + 1);
  const bool digits = last.find_first_not_of("0123456789") == std::string_view::npos;
  if (!digits && !last.starts_with("0x")) return false;
  boost::system::error_code failure;
  boost::asio::ip::make_address_v4(std::string(host), failure);
  return static_cast<bool>(failure);
}

}  // namespace

bool network::contains(const address& other) const {
  if (base.is_v4() != other.is_v4()) return false;
  return base.is_v4() ? same_prefix(base.to_v4().to_bytes(), other.to_v4().to_bytes(), prefix)
                      : same_prefix(base.to_v6().to_bytes(), other.to_v6().to_bytes(), prefix);
}

std::vector<network> parse_networks(std::string_view text, const std::string& name) {
  std::vector<network> out;
  for (const auto entry : split(text)) {
    const auto read = parse_network(entry);
    if (!read) {
      throw usage_error(name + ": '" + printable(entry, 60) +
                        "' is not a network; it should look like 10.0.0.0/8 or ::1/128, with "
                        "commas between several");
    }
    out.push_back(*read);
  }
  return out;
}

std::optional<std::string> special_purpose(const address& where) {
  static const auto networks = [] {
    std::vector<std::pair<network, const char*>> out;
    for (const auto& each : special_networks) {
      out.emplace_back(parse_networks(each.text, "special_networks").front(), each.purpose);
    }
    return out;
  }();
  for (const auto& [block, purpose] : networks) {
    if (block.contains(where)) return purpose;
  }
  // Of IPv6, only this eighth has been given out.
  static const network global = parse_networks("2000::/3", "global").front();
  if (where.is_v6() && !global.contains(where)) return "not assigned";
  return std::nullopt;
}

std::optional<std::string> address_policy::refusal(const origin& server) const {
  if (!server.tls && !plain_http) return "plain http is not allowed";
  if (server.host.ends_with('.')) return "the host ends with a dot";
  if (is_disguised_number(server.host)) return "the host is a number that is not an address";
  return std::nullopt;
}

std::optional<std::string> address_policy::refusal(const origin& server,
                                                   const std::vector<address>& found) const {
  for (const auto& each : found) {
    const bool listed = std::any_of(allowed.begin(), allowed.end(),
                                    [&](const network& block) { return block.contains(each); });
    if (listed) continue;
    if (const auto purpose = special_purpose(each)) {
      return "the address " + each.to_string() + " is refused (" + *purpose + ")";
    }
    if (std::find(ports.begin(), ports.end(), server.port) == ports.end()) {
      return "the port " + std::to_string(server.port) + " is refused";
    }
  }
  return std::nullopt;
}

address_policy outbound_policy(const environment& settings) {
  address_policy out;
  const std::string allow = "OUTBOUND_ALLOW";
  if (const auto text = settings.get(allow)) out.allowed = parse_networks(*text, allow);
  const std::string ports = "OUTBOUND_PORTS";
  if (const auto text = settings.get(ports)) {
    out.ports.clear();
    for (const auto entry : split(*text)) {
      const auto port = whole_number<std::uint16_t>(entry);
      if (!port || *port == 0) {
        throw usage_error(ports + ": '" + printable(entry, 60) +
                          "' is not a port; it should look like 80,443");
      }
      out.ports.push_back(*port);
    }
  }
  return out;
}

bool is_loopback(std::string_view host) {
  if (host == "localhost") return true;
  boost::system::error_code failure;
  const auto where = boost::asio::ip::make_address(std::string(host), failure);
  return !failure && where.is_loopback();
}

bool is_link_local(std::string_view host) {
  boost::system::error_code failure;
  const auto where = boost::asio::ip::make_address(std::string(host), failure);
  return !failure && special_purpose(where) == "link-local";
}

void check_private(const origin& server, const std::string& name) {
  if (server.tls || is_loopback(server.host)) return;
  throw usage_error(name + ": " + server.text() +
                    " would get credentials over plain http; use https (plain http is for this "
                    "machine only, as http://127.0.0.1)");
}

}  // namespace rowrunner::http
