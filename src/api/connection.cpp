#include "api/connection.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/string.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/write.hpp>

#include "api/head.hpp"
#include "api/response.hpp"
#include "api/services.hpp"
#include "common/text.hpp"

namespace rowrunner::api {
namespace {

namespace beast = boost::beast;
using boost::system::error_code;

constexpr auto tuple = asio::as_tuple(asio::use_awaitable);
constexpr std::size_t read_size = 4096;
/// What a client may still send that was refused before its end, so that it reads the answer: data
/// that arrives at a closed socket makes the system drop what was sent.
constexpr std::size_t linger_bytes = 256 * 1024;
constexpr std::chrono::milliseconds linger_time{1000};

std::string address_of(const asio::ip::tcp::socket& socket) {
  error_code ignored;
  const auto remote = socket.remote_endpoint(ignored);
  return ignored ? "" : remote.address().to_string();
}

std::string_view text_of(const beast::flat_buffer& buffer) {
  return {static_cast<const char*>(buffer.data().data()), buffer.size()};
}

bool is_parse_error(const error_code& error) {
  const auto of_parser = http::make_error_code(http::error::bad_version);
  return error.category() == of_parser.category() && error != http::error::partial_message &&
         error != http::error::end_of_stream;
}

}  // namespace

connection::connection(services& with, asio::ip::tcp::socket socket, bool spare)
    : with_(with),
      limits_(with.limits),
      spare_(spare),
      remote_(address_of(socket)),
      stream_(std::move(socket)),
      buffer_(limits_.head_bytes + read_size) {}

void connection::stop() {
  stopping_ = true;
  if (talking_) talking_->stop();
  if (idle_) cut();
}

void connection::cut() {
  if (talking_) {
    talking_->cut();
  } else {
    stream_.close();
  }
}

asio::awaitable<void> connection::run() {
  next what = next::read_on;
  while (what == next::read_on && !stopping_) what = co_await serve_one();
  if (what == next::linger) co_await linger();
  if (!talking_) stream_.close();
}

asio::awaitable<connection::next> connection::serve_one() {
  const bool came = co_await await_request();
  if (!came) co_return next::close;
  parser from;
  // Each route has its own; see read_body.
  from.body_limit(boost::none);
  from.header_limit(static_cast<std::uint32_t>(limits_.head_bytes));
  const auto refused = co_await read_head(from);
  if (refused) co_return co_await refuse_head(*refused);
  if (!from.is_header_done()) co_return next::close;
  co_return co_await exchange(from);
}

/// False if none came in time, or the client has gone.
asio::awaitable<bool> connection::await_request() {
  if (buffer_.size() == 0) {
    idle_ = true;
    stream_.expires_after(spare_ ? limits_.spare_time : limits_.idle_time);
    const auto [error, count] = co_await stream_.async_read_some(buffer_.prepare(read_size), tuple);
    idle_ = false;
    if (error) co_return false;
    buffer_.commit(count);
  }
  stream_.expires_after(spare_ ? limits_.spare_time : limits_.head_time);
  co_return true;
}

/// Leaves the parser without a header if the client went away or was too slow.
asio::awaitable<std::optional<problem>> connection::read_head(parser& into) {
  head_scanner scanner(limits_);
  for (;;) {
    scanner.look_at(text_of(buffer_));
    if (scanner.refusal()) co_return scanner.refusal();
    if (scanner.size()) break;
    const auto [error, count] = co_await stream_.async_read_some(buffer_.prepare(read_size), tuple);
    if (error) co_return std::nullopt;
    buffer_.commit(count);
  }
  error_code error;
  const auto used = into.put(asio::buffer(buffer_.data(), *scanner.size()), error);
  buffer_.consume(used);
  if (error) co_return refusal_of(error);
  co_return check_head(into.get().base());
}

/// Where this request ends is not known, so what follows must not be read as the next one.
asio::awaitable<connection::next> connection::refuse_head(const problem& why) {
  request asked;
  asked.id = with_.ids.next();
  asked.head.version(11);
  const auto begun = clock::now();
  answer out = error_answer(why, asked.id);
  log(asked, nullptr, out, begun);
  co_await write(asked, std::move(out), false);
  co_return next::linger;
}

asio::awaitable<connection::next> connection::exchange(parser& from) {
  const auto begun = clock::now();
  request asked;
  asked.id = with_.ids.next();
  asked.remote = remote_;
  asked.head = from.get().base();
  const bool wants_more = from.keep_alive();
  admission admitted = co_await admit(with_, asked, spare_);
  if (!admitted.refusal && !from.is_done()) {
    const auto why = co_await read_body(from, *admitted.to);
    if (why) admitted.refusal = error_answer(*why, asked.id);
    if (!why && !from.is_done()) co_return next::close;
  }
  const bool body_is_read = from.is_done();
  asked.body = std::move(from.get().body());
  answer out;
  if (admitted.refusal) {
    out = std::move(*admitted.refusal);
  } else {
    out = co_await perform(with_, *admitted.to, asked);
  }
  const bool keep = wants_more && body_is_read && !stopping_ && !spare_;
  log(asked, admitted.to, out, begun);
  if (out.goes_on) co_return co_await hand_over(std::move(out.goes_on));
  co_await write(asked, std::move(out), keep);
  if (keep && stream_.socket().is_open()) co_return next::read_on;
  co_return body_is_read ? next::close : next::linger;
}

/// Leaves the parser unfinished if the client went away or was too slow.
asio::awaitable<std::optional<problem>> connection::read_body(parser& from, const route& to) {
  const auto length = from.content_length();
  if ((length && *length > to.body_bytes) || (from.chunked() && to.body_bytes == 0)) {
    co_return refusal_of(http::make_error_code(http::error::body_limit));
  }
  from.body_limit(to.body_bytes);
  stream_.expires_after(limits_.body_time);
  if (beast::iequals(from.get()[http::field::expect], "100-continue") && buffer_.size() == 0) {
    constexpr std::string_view go_on = "HTTP/1.1 100 Continue\r\n\r\n";
    const auto [error, count] = co_await asio::async_write(stream_, asio::buffer(go_on), tuple);
    if (error) co_return std::nullopt;
  }
  const auto [error, count] = co_await http::async_read(stream_, buffer_, from, tuple);
  if (error && is_parse_error(error)) co_return refusal_of(error);
  co_return std::nullopt;
}

asio::awaitable<void> connection::write(const request& asked, answer out, bool keep) {
  auto message = to_response(asked, std::move(out), keep);
  http::serializer<false, http::string_body> whole(message);
  // A HEAD has the header of the answer to a GET.
  const bool head_only = asked.head.method() == http::verb::head;
  whole.split(head_only);
  stream_.expires_after(limits_.write_time);
  if (head_only) {
    co_await http::async_write_header(stream_, whole, tuple);
  } else {
    co_await http::async_write(stream_, whole, tuple);
  }
}

asio::awaitable<connection::next> connection::hand_over(std::shared_ptr<conversation> to) {
  talking_ = std::move(to);
  if (stopping_) talking_->stop();
  co_await talking_->run(std::move(stream_));
  co_return next::close;
}

asio::awaitable<void> connection::linger() {
  error_code ignored;
  stream_.socket().shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
  stream_.expires_after(linger_time);
  buffer_.clear();
  for (std::size_t total = 0; total < linger_bytes;) {
    const auto [error, count] = co_await stream_.async_read_some(buffer_.prepare(read_size), tuple);
    if (error) co_return;
    total += count;
  }
}

/// Without query and header fields: they hold tickets and tokens.
void connection::log(const request& asked, const route* to, const answer& out,
                     clock::time_point begun) {
  const auto took = std::chrono::duration<double, std::milli>(clock::now() - begun);
  const auto level = to && to->always ? log_level::debug : log_level::info;
  with_.log->event(level, "request",
                   {{"request_id", asked.id},
                    {"method", printable(asked.head.method_string(), 20)},
                    {"path", printable(asked.path, 300)},
                    {"route", to ? to->path : std::string_view()},
                    {"status", out.status},
                    {"duration_ms", std::round(took.count() * 100) / 100},
                    {"bytes", out.body.size()},
                    {"user", asked.who.user},
                    {"remote", remote_}});
}

}  // namespace rowrunner::api
