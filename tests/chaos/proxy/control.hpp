#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "chaos/proxy/link.hpp"

namespace rowrunner::chaos {

/// Takes commands, a line each, and answers each with one line: "ok", "ok WORD" or "error: ...".
///
///   open LINK HOST:PORT [LISTEN]  passes on to there; answers the port to connect to
///   delay LINK MS [WAY]           everything takes that long; WAY is to-server or to-client
///   drip LINK BYTES MS            pieces of so many bytes, each after that time
///   stall LINK                    reads nothing any more
///   refuse LINK                   takes no new connections
///   reset LINK                    ends all connections abruptly
///   half-close LINK               ends the answers, not the questions
///   cut-bytes LINK WAY N          ends the connection that the (N+1)th byte comes for
///   cut LINK WAY MESSAGE [TIMES] [TEXT]   ends the connection instead of passing the message on
///   drop LINK WAY MESSAGE [TIMES] [TEXT]  loses the message and nothing else
///   heal LINK                     no more faults
///   connections LINK              how many there are
///
/// MESSAGE is a name from PostgreSQL's manual, as in NotificationResponse, or `commit`: what makes
/// the server commit (to-server), or says that it has (to-client). TIMES is 1 if left out, 0 for
/// ever. With TEXT, only messages of a transaction in which it occurs, in the names of statements
/// or the texts of those without a name.
class control {
 public:
  /// What happens is written to the file of that name, a line each, if there is one.
  control(boost::asio::io_context& io, const std::string& socket_path,
          const std::string& record_path);
  ~control();
  control(const control&) = delete;
  control& operator=(const control&) = delete;

  std::string obey(const std::string& line);

 private:
  using socket = boost::asio::local::stream_protocol::socket;
  using words = std::vector<std::string>;

  boost::asio::awaitable<void> accept();
  boost::asio::awaitable<void> serve(socket peer);
  std::string open(const words& said);
  std::string change(const words& said);
  void set_fault(link& on, const words& said);
  void record(const std::string& link_name, const std::string& what);

  boost::asio::io_context& io_;
  boost::asio::local::stream_protocol::acceptor acceptor_;
  int record_ = -1;
  std::map<std::string, std::unique_ptr<link>> links_;
};

}  // namespace rowrunner::chaos
