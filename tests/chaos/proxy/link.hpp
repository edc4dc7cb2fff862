#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>
#include <set>
#include <string>

#include "chaos/proxy/faults.hpp"

namespace rowrunner::chaos {

/// A port that passes on to a PostgreSQL server, or to a pooler in front of one, and does to what
/// passes what its faults say. It reads the protocol, so it turns encryption down.
class link {
 public:
  /// Told of each fault that really happened, in one line.
  using listener = std::function<void(const std::string& what)>;

  link(boost::asio::io_context& io, boost::asio::ip::tcp::endpoint upstream, std::uint16_t port,
       listener tell);
  ~link();
  link(const link&) = delete;
  link& operator=(const link&) = delete;

  std::uint16_t port() const { return acceptor_.local_endpoint().port(); }
  std::size_t connections() const { return sessions_.size(); }
  link_faults& faults() { return faults_; }
  /// After a change of the faults.
  void changed() { gate_.cancel(); }

  /// Ends all connections abruptly.
  void reset();
  /// Tells the clients that no more will come, and keeps the connections otherwise.
  void half_close();

 private:
  class session;

  boost::asio::awaitable<void> accept();
  /// Until the link is not stalled.
  boost::asio::awaitable<void> open_gate();

  boost::asio::io_context& io_;
  boost::asio::ip::tcp::endpoint upstream_;
  boost::asio::ip::tcp::acceptor acceptor_;
  listener tell_;
  link_faults faults_;
  /// Never expires; cancelling it wakes all who wait for a change.
  boost::asio::steady_timer gate_;
  std::set<std::shared_ptr<session>> sessions_;
};

}  // namespace rowrunner::chaos
