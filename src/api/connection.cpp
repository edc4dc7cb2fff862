#include "api/connection.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/string.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/write.hpp>

#include "api/head.hpp"
#include "api/request_body.hpp"
#include "api/response.hpp"
#include "api/services.hpp"
#include "common/text.hpp"

namespace rowrunner::api {
namespace {

namespace beast = boost::beast;
using boost::system::error_code;

constexpr auto tuple = asio::as_tuple(asio::use_awaitable);
constexpr std::size_t read_size = 4096;
/// What a client must take of a streamed answer within the time limit of writes.
constexpr std::size_t write_size = 64 * 1024;
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

/// Decided by the header, before anything is read.
std::optional<problem> check_size(const http::request_parser<http::string_body>& from,
                                  const route& to) {
  const auto length = from.content_length();
  if ((length && *length > to.body_bytes) || (from.chunked() && to.body_bytes == 0)) {
    return refusal_of(http::make_error_code(http::error::body_limit));
  }
  if (from.chunked() && to.streams_body) {
    return problem(411, "length_required", "this route needs a Content-Length");
  }
  return std::nullopt;
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
  const bool streams = !admitted.refusal && admitted.to->streams_body;
  if (!admitted.refusal && !from.is_done()) {
    std::optional<problem> why = check_size(from, *admitted.to);
    if (!why && !streams) {
      why = co_await read_body(from, *admitted.to);
      if (!why && !from.is_done()) co_return next::close;
    }
    if (why) admitted.refusal = refusal_answer(admitted.to, *why, asked);
  }
  bool body_is_read = from.is_done();
  answer out;
  if (admitted.refusal) {
    out = std::move(*admitted.refusal);
  } else if (streams) {
    out = co_await perform_streamed(from, *admitted.to, asked, body_is_read);
  } else {
    asked.body = std::move(from.get().body());
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

/// The handler reads the body from the connection. What was wrong with the body counts before what
/// the handler made of that.
asio::awaitable<answer> connection::perform_streamed(parser& from, const route& to, request& asked,
                                                     bool& body_is_read) {
  const auto body =
      std::make_shared<request_body>(stream_, buffer_, std::move(from), limits_.body_time);
  asked.stream = body;
  answer out = co_await perform(with_, to, asked);
  if (body->failure()) out = refusal_answer(&to, *body->failure(), asked);
  body_is_read = body->is_done() && !body->failure();
  body->detach();
  asked.stream.reset();
  co_return out;
}

asio::awaitable<void> connection::write(const request& asked, answer out, bool keep) {
  if (out.stream) co_return co_await write_stream(asked, std::move(out), keep);
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

/// What cannot be sent to its end is cut off, by which the client knows: the length was told.
asio::awaitable<void> connection::write_stream(const request& asked, answer out, bool keep) {
  auto message = to_stream_head(asked, out, keep);
  http::serializer<false, http::empty_body> head(message);
  stream_.expires_after(limits_.write_time);
  const auto [error, count] = co_await http::async_write_header(stream_, head, tuple);
  if (error || asked.head.method() == http::verb::head) co_return;
  std::string failure;
  try {
    co_await write_pieces(*out.stream);
    co_return;
  } catch (const std::exception& thrown) {
    failure = thrown.what();
  }
  with_.log->warn("an answer was cut off", {{"request_id", asked.id}, {"error", failure}});
  stream_.close();
}

asio::awaitable<void> connection::write_pieces(byte_source& from) {
  std::uint64_t left = from.size();
  while (left > 0) {
    const std::string piece = co_await from.read();
    if (piece.empty() || piece.size() > left) throw std::runtime_error("its size has changed");
    left -= piece.size();
    for (std::size_t at = 0; at < piece.size(); at += write_size) {
      const auto slice = asio::buffer(piece.data() + at, std::min(write_size, piece.size() - at));
      stream_.expires_after(limits_.write_time);
      const auto [error, count] = co_await asio::async_write(stream_, slice, tuple);
      if (error) throw boost::system::system_error(error);
    }
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
                    {"bytes", out.stream ? out.stream->size() : out.body.size()},
                    {"user", asked.who.user},
                    {"remote", remote_}});
}

}  // namespace rowrunner::api
