#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/beast/core/tcp_stream.hpp>

namespace rowrunner::api {

/// What goes on on a connection after the request: events, or a WebSocket. It is kept alive by its
/// connection while it runs.
class conversation {
 public:
  conversation() = default;
  virtual ~conversation() = default;
  conversation(const conversation&) = delete;
  conversation& operator=(const conversation&) = delete;

  /// Until either side ends it.
  virtual boost::asio::awaitable<void> run(boost::beast::tcp_stream stream) = 0;

  /// The server stops: closes as the protocol says, so that the client knows why.
  virtual void stop() = 0;
  /// Now.
  virtual void cut() = 0;
};

}  // namespace rowrunner::api
