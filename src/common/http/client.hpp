#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "common/http/address_policy.hpp"
#include "common/http/error.hpp"
#include "common/http/message.hpp"
#include "common/http/resolver.hpp"

namespace rowrunner::http {

namespace asio = boost::asio;

struct client_options {
  /// A PEM file of authorities to trust besides the system's.
  std::string ca_file{};
  /// For look-up, connection and TLS handshake together; the request's own timeout counts as well.
  std::chrono::milliseconds connect_timeout{10'000};
  std::size_t max_header = 64 * 1024;
  /// Idle connections older than this are not used again. Servers close theirs after 15 s and more.
  std::chrono::milliseconds idle_timeout{10'000};
  std::size_t max_idle_per_server = 8;
  std::size_t max_idle = 32;
  /// Of an answer whose status is not 2xx; the rest is cut off.
  std::size_t max_error_body = 64 * 1024;
  /// Without a policy the client goes wherever it is told. For addresses that others name
  /// use guarded_client, which sets one.
  std::optional<address_policy> policy{};
  /// An edge of the outside world: tests put another one here.
  host_lookup lookup = system_lookup;
};

/// Sends HTTP/1.1 requests, over TLS for https. Any number may run at once, all on the executor's
/// one thread. Connections are kept and used again.
///
/// A kept connection that the server closes just when it is used is no error of the request: it is
/// sent once more, on a new connection, if the server gave no byte of an answer and either the
/// method is GET, HEAD, PUT, DELETE or OPTIONS, or the request was not sent to its end. So a POST
/// is never acted upon twice.
///
/// Redirects (if asked for): 301 and 302 turn a POST into a GET without body, 303 any method, 307
/// and 308 repeat the request. All headers of the caller stay behind when scheme, host or port
/// change, and https never leads to http.
///
/// A host is looked up once for each connection, on threads of the client's own, and the connection
/// goes to an address of that answer.
class client {
 public:
  explicit client(asio::any_io_executor executor, client_options options = {});
  ~client();
  client(const client&) = delete;
  client& operator=(const client&) = delete;

  /// The answer, whatever its status. Throws error. May be cancelled (terminal) at any point; then
  /// system_error (operation_aborted) is thrown.
  asio::awaitable<response> send(request wanted);

  asio::any_io_executor get_executor() const;
  std::size_t idle_connections() const noexcept;
  void close_idle();

 private:
  struct core;

  /// Shared with what runs, because Asio may destroy suspended coroutines after the client.
  std::shared_ptr<core> core_;
};

}  // namespace rowrunner::http
