#include "api/job_socket.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/websocket/rfc6455.hpp>

#include "api/services.hpp"

namespace rowrunner::api {
namespace {

namespace websocket = boost::beast::websocket;

constexpr auto tuple = asio::as_tuple(asio::use_awaitable);
/// Clients have nothing to say.
constexpr std::size_t most_bytes_read = 4096;

std::string text_of(const nlohmann::ordered_json& value) {
  return value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

job_socket::job_socket(services& with, const request& asked, std::optional<job_key> job,
                       bool refused)
    : with_(with), head_(asked.head), job_(std::move(job)), refused_(refused) {}

void job_socket::stop() {
  stopping_ = true;
  if (viewer_) viewer_->woken.set();
}

void job_socket::cut() {
  stop();
  gone_ = true;
  if (socket_) socket_->next_layer().close();
}

/// What a client sends is read and ignored; pings and the close are answered meanwhile.
asio::awaitable<void> job_socket::read_until_gone(std::shared_ptr<job_socket> self) {
  boost::beast::flat_buffer ignored(most_bytes_read);
  for (;;) {
    const auto [error, count] = co_await self->socket_->async_read(ignored, tuple);
    if (error) break;
    ignored.clear();
  }
  self->gone_ = true;
  if (self->viewer_) self->viewer_->woken.set();
}

asio::awaitable<bool> job_socket::send(std::string text) {
  const auto [error, count] = co_await socket_->async_write(asio::buffer(text), tuple);
  co_return !error;
}

asio::awaitable<websocket::close_code> job_socket::talk() {
  if (refused_) co_return websocket::close_code::policy_error;
  const std::string unknown = text_of({{"error", "Job not found"}});
  if (!job_) {
    co_await send(unknown);
    co_return websocket::close_code::normal;
  }
  while (!gone_) {
    for (const auto& change : viewer_->take()) {
      const job_state& now = *change.newest;
      // Named first: g++ 12 destroys the temporaries of a conditional in a co_await twice.
      auto text = now.exists() ? text_of(document_json(now)) : unknown;
      const bool sent = co_await send(std::move(text));
      if (!sent) co_return websocket::close_code::none;
      if (!now.exists() || now.has_ended()) co_return websocket::close_code::normal;
    }
    if (stopping_) co_return websocket::close_code::going_away;
    co_await viewer_->woken.wait_for(std::chrono::hours(1));
  }
  co_return websocket::close_code::none;
}

asio::awaitable<void> job_socket::run(boost::beast::tcp_stream stream) {
  stream.expires_never();
  socket_.emplace(std::move(stream));
  // A client that does not answer a ping is cut off, so that a stalled one does not stay.
  websocket::stream_base::timeout limits{with_.limits.head_time, with_.limits.idle_time, true};
  socket_->set_option(limits);
  socket_->read_message_max(most_bytes_read);
  http::request<http::empty_body> asked;
  asked.base() = head_;
  const auto [error] = co_await socket_->async_accept(asked, tuple);
  if (error) co_return;
  std::vector<job_key> jobs;
  if (job_ && !refused_) jobs.push_back(*job_);
  viewer_.emplace(with_.live, jobs);
  asio::co_spawn(socket_->get_executor(), read_until_gone(shared_from_this()), asio::detached);
  const auto code = co_await talk();
  viewer_.reset();
  if (code != websocket::close_code::none) co_await socket_->async_close(code, tuple);
  socket_->next_layer().close();
}

}  // namespace rowrunner::api
