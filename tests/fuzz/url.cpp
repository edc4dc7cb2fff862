#include "common/http/url.hpp"

#include "common/errors.hpp"
#include "common/http/address_policy.hpp"
#include "common/http/error.hpp"
#include "parsers.hpp"

namespace rowrunner::fuzz {
namespace {

/// An address that is written in a URL is judged as the address itself is.
void judge(const http::origin& server) {
  const http::address_policy policy;
  boost::system::error_code none;
  const auto address = boost::asio::ip::make_address(server.host, none);
  policy.refusal(server);
  if (none) return;
  const bool refused = policy.refusal(server, {address}).has_value();
  if (http::special_purpose(address)) require(refused, "no special address is reachable");
  if (http::is_loopback(server.host)) require(refused, "this machine is not reachable");
}

void read_networks(std::string_view bytes) {
  try {
    for (const auto& each : http::parse_networks(bytes, "OUTBOUND_ALLOW")) {
      require(each.prefix <= (each.base.is_v4() ? 32U : 128U), "a prefix fits its address");
      require(each.contains(each.base), "a network has its base");
    }
  } catch (const usage_error&) {
  }
}

}  // namespace

void read_url(std::string_view bytes) {
  read_networks(bytes);
  http::percent_decode(bytes);
  require(http::percent_decode(http::percent_encode(bytes)) == bytes, "encoding loses nothing");
  http::url found;
  try {
    found = http::parse_url(bytes);
  } catch (const http::error&) {
    return;
  }
  require(found.target.starts_with('/'), "a target is a path");
  require(found.text().find_first_of("\r\n ") == std::string::npos, "it fits into a request line");
  require(http::parse_url(found.text()).text() == found.text(), "it is itself again");
  judge(found.server);
  try {
    judge(http::resolve_reference(found, bytes).server);
  } catch (const http::error&) {
  }
}

}  // namespace rowrunner::fuzz
