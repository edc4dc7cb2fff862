#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rowrunner::testing {

struct http_reply {
  int status = 0;
  std::string head;
  std::string body;

  /// The value of a header field, by its lower-case name; empty if there is none.
  std::string header(const std::string& name) const;
};

using header_fields = std::vector<std::pair<std::string, std::string>>;

/// A TCP connection to 127.0.0.1 that sends what it is told to, byte for byte.
class raw_client {
 public:
  explicit raw_client(int port);
  ~raw_client();
  raw_client(const raw_client&) = delete;
  raw_client& operator=(const raw_client&) = delete;

  /// False if the connection could not be made.
  bool connected() const { return socket_ >= 0; }
  /// Stops at the first byte that the server does not take any more.
  bool send(std::string_view bytes);
  void half_close();

  /// Everything until the server closes; nothing if it does not within the time.
  std::optional<std::string> read_to_end(std::chrono::milliseconds at_most);
  /// The bytes up to and with `end`; nothing if they do not come.
  std::optional<std::string> read_until(std::string_view end);
  /// One answer with Content-Length, or without a body; nothing if there is no whole one.
  std::optional<http_reply> read_reply(bool has_body = true);

  /// Sends a whole request and reads its answer.
  http_reply call(const std::string& method, const std::string& target,
                  const header_fields& fields = {}, const std::string& body = {});

 private:
  bool fill(std::chrono::steady_clock::time_point deadline);

  int socket_ = -1;
  bool ended_ = false;
  std::string pending_;
};

/// One request on a connection of its own.
http_reply ask(int port, const std::string& method, const std::string& target,
               const header_fields& fields = {}, const std::string& body = {});

}  // namespace rowrunner::testing
