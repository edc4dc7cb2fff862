#pragma once

#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/buffer_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <chrono>
#include <optional>

#include "api/message.hpp"
#include "common/byte_stream.hpp"

namespace rowrunner::api {

/// The body of a request, taken from the connection as fast as the handler reads it, and once. A
/// client that waits for "100 Continue" gets it with the first read, so that a handler that refuses
/// before that spares it the body.
class request_body : public byte_source {
 public:
  /// What a client must send within the time limit: a byte now and then does not keep a connection.
  static constexpr std::size_t piece_bytes = 64 * 1024;

  /// The parser has read the header and nothing else. Stream and buffer must outlive the calls of
  /// read() before detach().
  request_body(boost::beast::tcp_stream& stream, boost::beast::flat_buffer& buffer,
               http::request_parser<http::string_body>&& head,
               std::chrono::milliseconds piece_time);

  std::uint64_t size() const override { return size_; }
  /// Throws if anything was read.
  void rewind() override;
  /// Throws request_error if the body is not what its header says.
  boost::asio::awaitable<std::string> read() override;

  /// The whole body was read.
  bool is_done() const { return parser_.is_done(); }
  /// Why the body could not be read to its end.
  const std::optional<problem>& failure() const { return failure_; }
  /// A handler that kept it cannot read on.
  void detach() { stream_ = nullptr; }

 private:
  [[noreturn]] void fail(problem why);
  boost::asio::awaitable<void> tell_to_go_on();

  boost::beast::tcp_stream* stream_;
  boost::beast::flat_buffer& buffer_;
  const std::chrono::milliseconds piece_time_;
  http::request_parser<http::buffer_body> parser_;
  const std::uint64_t size_;
  bool begun_ = false;
  std::optional<problem> failure_;
};

}  // namespace rowrunner::api
