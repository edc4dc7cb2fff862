#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <chrono>
#include <memory>
#include <optional>

#include "api/conversation.hpp"
#include "api/dispatch.hpp"
#include "api/limits.hpp"
#include "api/message.hpp"

namespace rowrunner::api {

/// One client. Its requests are served one after the other, so that pipelined ones are answered in
/// their order and a client cannot have more than one running.
class connection {
 public:
  /// `spare`: beyond the limit of connections. It is closed after one answer.
  connection(services& with, asio::ip::tcp::socket socket, bool spare);

  asio::awaitable<void> run();

  /// The running request is answered, and then the connection closed; without one, now.
  void stop();
  /// Now.
  void cut();

 private:
  using parser = http::request_parser<http::string_body>;
  using clock = std::chrono::steady_clock;
  enum class next { read_on, close, linger };

  asio::awaitable<next> serve_one();
  asio::awaitable<bool> await_request();
  asio::awaitable<std::optional<problem>> read_head(parser& into);
  asio::awaitable<next> refuse_head(const problem& why);
  asio::awaitable<next> exchange(parser& from);
  asio::awaitable<std::optional<problem>> read_body(parser& from, const route& to);
  asio::awaitable<answer> perform_streamed(parser& from, const route& to, request& asked,
                                           bool& body_is_read);
  asio::awaitable<void> write(const request& asked, answer out, bool keep);
  asio::awaitable<void> write_stream(const request& asked, answer out, bool keep);
  asio::awaitable<void> write_pieces(byte_source& from);
  asio::awaitable<next> hand_over(std::shared_ptr<conversation> to);
  asio::awaitable<void> linger();
  void log(const request& asked, const route* to, const answer& out, clock::time_point begun);

  services& with_;
  const server_limits& limits_;
  const bool spare_;
  const std::string remote_;
  boost::beast::tcp_stream stream_;
  boost::beast::flat_buffer buffer_;
  bool stopping_ = false;
  /// No byte of the next request has come.
  bool idle_ = false;
  /// Has the stream now.
  std::shared_ptr<conversation> talking_;
};

}  // namespace rowrunner::api
