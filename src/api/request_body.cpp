#include "api/request_body.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/string.hpp>
#include <boost/beast/http/read.hpp>

#include "api/head.hpp"

namespace rowrunner::api {
namespace {

namespace asio = boost::asio;
constexpr auto tuple = asio::as_tuple(asio::use_awaitable);

problem incomplete() {
  return {400, "incomplete_body", "the body ended before its Content-Length", true};
}

}  // namespace

request_body::request_body(boost::beast::tcp_stream& stream, boost::beast::flat_buffer& buffer,
                           http::request_parser<http::string_body>&& head,
                           std::chrono::milliseconds piece_time)
    : stream_(&stream),
      buffer_(buffer),
      piece_time_(piece_time),
      parser_(std::move(head)),
      size_(parser_.content_length().value_or(0)) {
  parser_.body_limit(size_);
}

void request_body::rewind() {
  if (begun_) fail(problem(503, "unavailable", "the body must be sent once more", true));
}

void request_body::fail(problem why) {
  failure_ = why;
  throw request_error(std::move(why));
}

asio::awaitable<void> request_body::tell_to_go_on() {
  begun_ = true;
  const auto expected = parser_.get()[http::field::expect];
  if (!boost::beast::iequals(expected, "100-continue") || buffer_.size() > 0) co_return;
  constexpr std::string_view go_on = "HTTP/1.1 100 Continue\r\n\r\n";
  stream_->expires_after(piece_time_);
  const auto [error, count] = co_await asio::async_write(*stream_, asio::buffer(go_on), tuple);
  if (error) fail(incomplete());
}

asio::awaitable<std::string> request_body::read() {
  if (failure_) throw request_error(*failure_);
  if (!stream_) fail(incomplete());
  if (parser_.is_done()) co_return std::string();
  if (!begun_) co_await tell_to_go_on();
  std::string piece(piece_bytes, '\0');
  auto& into = parser_.get().body();
  into.data = piece.data();
  into.size = piece.size();
  stream_->expires_after(piece_time_);
  const auto [error, count] = co_await http::async_read(*stream_, buffer_, parser_, tuple);
  const bool lost = error == http::error::partial_message || error == http::error::end_of_stream;
  const auto of_parser = http::make_error_code(http::error::bad_version);
  if (error && error != http::error::need_buffer) {
    fail(error.category() == of_parser.category() && !lost ? refusal_of(error) : incomplete());
  }
  piece.resize(piece.size() - into.size);
  co_return piece;
}

}  // namespace rowrunner::api
