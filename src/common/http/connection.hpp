#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ssl/context.hpp>
#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "common/http/error.hpp"
#include "common/http/message.hpp"
#include "common/http/url.hpp"

namespace rowrunner::http {

/// The server closed the connection before the first byte of an answer.
struct connection_closed : error {
  connection_closed(const origin& server, bool all_sent);

  /// False if the server cannot have the whole request, and so cannot have acted on it.
  bool request_sent;
};

/// One connection to a server, for one exchange at a time.
class connection {
 public:
  using time_point = std::chrono::steady_clock::time_point;

  /// Goes to one of these addresses and to no other; the server's name is for TLS and messages.
  /// Throws error (connect, tls, timeout). May be cancelled. `tls` is needed for https.
  static boost::asio::awaitable<std::unique_ptr<connection>> open(
      boost::asio::any_io_executor executor, origin server,
      std::vector<boost::asio::ip::address> addresses,
      std::shared_ptr<boost::asio::ssl::context> tls, time_point deadline);
  ~connection();
  connection(const connection&) = delete;
  connection& operator=(const connection&) = delete;

  struct limits {
    std::size_t header;
    std::size_t body;
    /// Of an answer whose status is not 2xx: the rest is cut off, which is no failure.
    std::size_t error_body;
    /// The same holds for any answer, beyond `body`.
    bool cut;
    time_point deadline;
    /// For each piece; zero: none but the deadline.
    std::chrono::milliseconds stall;
  };

  /// Sends `head` and the body of `wanted`, which must live as long, and reads the answer. Throws
  /// error. May be cancelled. After anything but an answer the connection is of no use.
  boost::asio::awaitable<response> exchange(const std::string& head, const request& wanted,
                                            limits allowed);

  /// False if the server has said that it closes, has closed, or has sent something unasked.
  bool reusable() const;
  const origin& server() const noexcept { return server_; }

 private:
  struct stream;

  connection(origin server, std::unique_ptr<stream> opened);

  origin server_;
  std::unique_ptr<stream> stream_;
  bool keep_alive_ = false;
};

}  // namespace rowrunner::http
