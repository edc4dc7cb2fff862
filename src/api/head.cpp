#include "api/head.hpp"

#include <boost/beast/core/string.hpp>
#include <boost/beast/http/error.hpp>
#include <string>

namespace rowrunner::api {
namespace {

using boost::beast::iequals;

problem bad(std::string why) { return {400, "bad_request", std::move(why)}; }

std::size_t count(const request_head& head, http::field name) {
  const auto [first, last] = head.equal_range(name);
  return static_cast<std::size_t>(std::distance(first, last));
}

bool is_number(std::string_view text) {
  return !text.empty() && text.size() < 19 &&
         text.find_first_not_of("0123456789") == std::string_view::npos;
}

// Two lengths, or a length and chunks: another server may see another end of the request.
std::optional<problem> check_length(const request_head& head) {
  const auto lengths = count(head, http::field::content_length);
  const auto encodings = count(head, http::field::transfer_encoding);
  if (lengths > 1) return bad("there is more than one Content-Length");
  if (lengths == 1 && encodings > 0) {
    return bad("there are both Content-Length and Transfer-Encoding");
  }
  if (lengths == 1 && !is_number(head[http::field::content_length])) {
    return bad("Content-Length is no number");
  }
  if (encodings == 0) return std::nullopt;
  if (encodings > 1 || !iequals(head[http::field::transfer_encoding], "chunked")) {
    return bad("the only Transfer-Encoding is chunked");
  }
  if (head.version() < 11) return bad("HTTP/1.0 has no Transfer-Encoding");
  return std::nullopt;
}

std::optional<problem> check_host(const request_head& head) {
  const auto hosts = count(head, http::field::host);
  if (hosts > 1) return bad("there is more than one Host");
  if (hosts == 0 && head.version() >= 11) return bad("there is no Host");
  const std::string_view host = head[http::field::host];
  if (host.find_first_of(" \t,/@\\?#") != std::string_view::npos) return bad("Host is no host");
  return std::nullopt;
}

}  // namespace

bool head_scanner::refuse(problem why) {
  refusal_ = std::move(why);
  return false;
}

void head_scanner::look_at(std::string_view bytes) {
  while (!size_ && !refusal_ && seen_ < bytes.size()) {
    const char byte = bytes[seen_++];
    if (!accept(byte)) return;
    last_ = byte;
    if (size_) return;
    if (seen_ >= allowed_.head_bytes) {
      refuse({431, "header_too_large",
              "the header is larger than " + std::to_string(allowed_.head_bytes) + " bytes"});
    }
  }
}

bool head_scanner::accept(char byte) {
  const bool starts_line = seen_ - 1 == line_start_;
  if (last_ == '\r' && byte != '\n') return refuse(bad("a carriage return stands alone"));
  if (byte == '\n') return last_ == '\r' ? end_line() : refuse(bad("a line feed stands alone"));
  if (byte == '\r') return true;
  const auto code = static_cast<unsigned char>(byte);
  if ((code < 0x20 && byte != '\t') || code == 0x7F) {
    return refuse(bad("the header has a control character"));
  }
  if (lines_ == 0 && (code >= 0x80 || byte == '\t')) {
    return refuse(bad("the request line has a character that must be encoded"));
  }
  if (starts_line && (byte == ' ' || byte == '\t')) {
    return refuse(bad("a header field goes on in a second line"));
  }
  if (lines_ == 0 && seen_ > allowed_.request_line_bytes) {
    return refuse({414, "target_too_long", "the request line is too long"});
  }
  return true;
}

bool head_scanner::end_line() {
  const bool empty = seen_ - line_start_ == 2;
  line_start_ = seen_;
  if (empty && lines_ == 0) return refuse(bad("there is no request line"));
  if (empty) {
    size_ = seen_;
    return true;
  }
  if (++lines_ > allowed_.header_fields + 1) {
    return refuse(
        {431, "header_too_large",
         "there are more than " + std::to_string(allowed_.header_fields) + " header fields"});
  }
  return true;
}

std::optional<problem> check_head(const request_head& head) {
  if (auto why = check_length(head)) return why;
  if (auto why = check_host(head)) return why;
  if (count(head, http::field::authorization) > 1) {
    return bad("there is more than one Authorization");
  }
  const auto expected = head[http::field::expect];
  if (!expected.empty() && !iequals(expected, "100-continue")) {
    return problem(417, "expectation_failed", "the only Expect is 100-continue");
  }
  return std::nullopt;
}

problem refusal_of(const boost::system::error_code& error) {
  using failure = http::error;
  if (error == failure::body_limit || error == failure::buffer_overflow) {
    return {413, "body_too_large", "the body is larger than this route takes"};
  }
  if (error == failure::header_limit) {
    return {431, "header_too_large", "the header is too large"};
  }
  return bad("the request is not HTTP/1.1: " + error.message());
}

}  // namespace rowrunner::api
