#include "api/head.hpp"

#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>

#include "parsers.hpp"

namespace rowrunner::fuzz {
namespace {

std::string code_of(const api::head_scanner& scanner) {
  return scanner.refusal() ? scanner.refusal()->code : "";
}

/// As the server does it with what the scanner has let through.
void parse(std::string_view head) {
  namespace http = boost::beast::http;
  http::request_parser<http::empty_body> parser;
  boost::system::error_code error;
  parser.put(boost::asio::buffer(head), error);
  if (error) {
    require(api::refusal_of(error).status >= 400, "a refusal is an error");
    return;
  }
  if (const auto why = api::check_head(parser.get().base())) {
    require(why->status >= 400 && why->status < 600, "a refusal is an error");
  }
}

}  // namespace

/// However the bytes come, the same is said of them.
void read_head(std::string_view bytes) {
  api::server_limits limits;
  limits.head_bytes = 600;
  limits.request_line_bytes = 200;
  limits.header_fields = 8;
  api::head_scanner at_once(limits);
  at_once.look_at(bytes);
  api::head_scanner bit_by_bit(limits);
  for (std::size_t n = 1; n <= bytes.size(); ++n) {
    if (bit_by_bit.size() || bit_by_bit.refusal()) break;
    bit_by_bit.look_at(bytes.substr(0, n));
  }
  require(at_once.size() == bit_by_bit.size(), "the header ends at the same byte");
  require(code_of(at_once) == code_of(bit_by_bit), "the same is refused");
  require(!at_once.size() || !at_once.refusal(), "a header is complete or refused");
  if (!at_once.size()) return;
  require(*at_once.size() <= bytes.size(), "the header is within the bytes");
  require(*at_once.size() <= limits.head_bytes, "the header is within its limit");
  parse(bytes.substr(0, *at_once.size()));
}

}  // namespace rowrunner::fuzz
