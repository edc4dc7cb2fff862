#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "support/certificate.hpp"

namespace rowrunner::testing {

/// A request as it came over the wire.
struct http_call {
  std::string raw;  ///< Byte for byte, the body included.
  std::string method;
  std::string target;
  std::string body;
  int connection = 0;  ///< The first connection is 1.

  /// The value of a header, empty if there is none.
  std::string header(std::string_view name) const;
  /// The raw request without its body.
  std::string head() const { return raw.substr(0, raw.size() - body.size()); }
};

/// What a route does with a request.
class http_exchange {
 public:
  virtual ~http_exchange() = default;

  virtual const http_call& call() const = 0;
  /// Of a route of on_stream(): the next bytes of the body; empty at its end, or if the client has
  /// gone.
  virtual std::string read_piece() = 0;
  /// These bytes, as they are. False if the client has gone.
  virtual bool write(std::string_view bytes) = 0;
  /// Ends the connection now, in the orderly way, or abruptly (no TLS close).
  virtual void close() = 0;
  virtual void abort() = 0;
  /// Until the client goes away or the server is destroyed.
  virtual void hang() = 0;
  /// One byte at a time, until the client has enough of it.
  virtual void drip(std::string_view bytes, std::chrono::milliseconds interval) = 0;

  using fields = std::vector<std::pair<std::string, std::string>>;
  /// A whole answer with Content-Length.
  void answer(int status, std::string_view body = {}, const fields& headers = {});
};

/// A web server on 127.0.0.1 that does what the test says. Each connection has a thread of its own.
class http_stand_in {
 public:
  using route = std::function<void(http_exchange&)>;

  /// With TLS if there is a certificate.
  explicit http_stand_in(std::optional<certificate> tls = std::nullopt);
  ~http_stand_in();
  http_stand_in(const http_stand_in&) = delete;
  http_stand_in& operator=(const http_stand_in&) = delete;

  /// What happens to "GET /path", whatever its query; anything else is answered with 404.
  void on(const std::string& method_and_path, route what);
  /// The same, but the route reads the body itself, which is kept nowhere.
  void on_stream(const std::string& method_and_path, route what);

  int port() const noexcept { return port_; }
  std::string url(const std::string& path = "/", const std::string& host = "127.0.0.1") const;

  std::vector<http_call> calls() const;
  std::vector<http_call> calls(const std::string& method_and_path) const;
  int connections() const;
  /// False if they do not come within a minute.
  bool wait_for_calls(std::size_t count) const;
  /// Until that many connections have ended, by whichever side.
  bool wait_for_closed(std::size_t count) const;

 private:
  class session;
  struct tls_context;

  void accept();
  void serve(session& on);
  route find(const http_call& call) const;
  bool streams(const http_call& call) const;

  int listener_ = -1;
  int port_ = 0;
  std::unique_ptr<tls_context> tls_;

  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  bool stopping_ = false;
  std::map<std::string, route> routes_;
  std::set<std::string> streamed_;
  std::vector<http_call> calls_;
  std::list<std::shared_ptr<session>> sessions_;
  std::vector<std::thread> threads_;
  int connections_ = 0;
  std::size_t closed_ = 0;
  std::thread acceptor_;
};

}  // namespace rowrunner::testing
