#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <cstdint>
#include <memory>
#include <unordered_map>

#include "api/connection_slots.hpp"
#include "common/event.hpp"

namespace rowrunner::api {

struct services;
class connection;

/// Accepts connections and ends them.
class server {
 public:
  /// Listens from now on. Throws boost::system::system_error if the address is in use.
  server(services& with, const boost::asio::any_io_executor& executor,
         const boost::asio::ip::tcp::endpoint& at);
  ~server();
  server(const server&) = delete;
  server& operator=(const server&) = delete;

  boost::asio::ip::tcp::endpoint address() const { return acceptor_.local_endpoint(); }

  /// Until stop(), and the grace period that running requests have then.
  boost::asio::awaitable<void> run();

  /// No new connections; those without a request are closed. A second call ends the others too.
  void stop();

 private:
  boost::asio::awaitable<void> accept();
  void start(boost::asio::ip::tcp::socket socket);

  services& with_;
  const boost::asio::any_io_executor executor_;
  boost::asio::ip::tcp::acceptor acceptor_;
  connection_slots slots_;
  std::unordered_map<connection_slots::id, std::shared_ptr<connection>> connections_;
  connection_slots::id next_id_ = 1;
  int stops_ = 0;
  event changed_;
};

}  // namespace rowrunner::api
