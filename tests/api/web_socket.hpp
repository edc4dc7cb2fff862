#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/buffers_to_string.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/websocket.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "api/raw_client.hpp"

namespace rowrunner::testing {

/// A WebSocket to 127.0.0.1, of another library than the server's only in that it is synchronous.
class web_socket {
 public:
  web_socket(int port, const std::string& target, const header_fields& fields = {}) {
    namespace websocket = boost::beast::websocket;
    socket_.next_layer().connect(
        {boost::asio::ip::address_v4::loopback(), static_cast<unsigned short>(port)});
    socket_.set_option(websocket::stream_base::decorator([fields](websocket::request_type& head) {
      for (const auto& [name, value] : fields) head.set(name, value);
    }));
    socket_.handshake("localhost:" + std::to_string(port), target);
  }

  /// The next message; null after the server has closed.
  nlohmann::json read() {
    boost::beast::flat_buffer buffer;
    boost::system::error_code error;
    socket_.read(buffer, error);
    if (error) return nullptr;
    return nlohmann::json::parse(boost::beast::buffers_to_string(buffer.data()));
  }

  /// After the close.
  int close_code() const { return socket_.reason().code; }

 private:
  boost::asio::io_context io_;
  boost::beast::websocket::stream<boost::asio::ip::tcp::socket> socket_{io_};
};

}  // namespace rowrunner::testing
