#pragma once

#include <boost/beast/websocket/stream.hpp>
#include <optional>
#include <string>

#include "api/conversation.hpp"
#include "api/job_watch.hpp"
#include "api/message.hpp"

namespace rowrunner::api {

struct services;

/// The WebSocket of document 003: the state of one job, first as it is, then the newest one
/// whenever it differs, until the job has ended. It is closed with 1000 then, with 1008 if the
/// caller may not see the job, with 1001 if the server ends.
class job_socket : public conversation, public std::enable_shared_from_this<job_socket> {
 public:
  /// `job`: nothing if there is no such job; `refused`: the caller may not see it.
  job_socket(services& with, const request& asked, std::optional<job_key> job, bool refused);

  boost::asio::awaitable<void> run(boost::beast::tcp_stream stream) override;
  void stop() override;
  void cut() override;

 private:
  using socket = boost::beast::websocket::stream<boost::beast::tcp_stream>;

  static boost::asio::awaitable<void> read_until_gone(std::shared_ptr<job_socket> self);
  boost::asio::awaitable<boost::beast::websocket::close_code> talk();
  boost::asio::awaitable<bool> send(std::string text);

  services& with_;
  const request_head head_;
  const std::optional<job_key> job_;
  const bool refused_;
  std::optional<socket> socket_;
  std::optional<job_watch::viewer> viewer_;
  bool stopping_ = false;
  bool gone_ = false;
};

}  // namespace rowrunner::api
