#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/address.hpp>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "common/http/url.hpp"

namespace rowrunner::http {

/// The addresses of a host, at least one. Blocks. Throws error (resolve).
using host_lookup = std::function<std::vector<boost::asio::ip::address>(const std::string& host)>;

/// As the system is set up: DNS, /etc/hosts and so on.
std::vector<boost::asio::ip::address> system_lookup(const std::string& host);

/// Runs look-ups on threads of its own. One that hangs holds up neither the executor's thread nor
/// another resolver, and no caller waits for it beyond the deadline.
class resolver {
 public:
  explicit resolver(host_lookup lookup = system_lookup, std::size_t max_threads = 16);
  /// Does not wait for look-ups that hang: their threads end on their own.
  ~resolver();
  resolver(const resolver&) = delete;
  resolver& operator=(const resolver&) = delete;

  /// The addresses of a server, at least one; one that is written as an address is not looked up.
  /// Throws error (resolve, timeout). May be cancelled.
  boost::asio::awaitable<std::vector<boost::asio::ip::address>> resolve(
      boost::asio::any_io_executor executor, origin server,
      std::chrono::steady_clock::time_point deadline);

 private:
  struct request;
  struct shared;

  static void serve(const std::shared_ptr<shared>& state);
  std::shared_ptr<request> start(const std::string& host);

  std::shared_ptr<shared> state_;
};

}  // namespace rowrunner::http
