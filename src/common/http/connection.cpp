#include "common/http/connection.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/buffers_range.hpp>
#include <boost/beast/core/error.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/stream_traits.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/ssl/ssl_stream.hpp>
#include <cerrno>
#include <tuple>
#include <utility>
#include <variant>

#include "common/http/tls.hpp"

namespace rowrunner::http {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
using asio::ip::tcp;
using boost::system::error_code;
using plain_stream = beast::tcp_stream;
using tls_stream = asio::ssl::stream<beast::tcp_stream>;

/// Beast's own string_body takes as much memory as the answer announces, before it has come.
struct growing_body {
  using value_type = std::string;

  class reader {
   public:
    template <bool is_request, typename Fields>
    reader(beast::http::header<is_request, Fields>&, value_type& body) : body_(body) {}

    void init(const boost::optional<std::uint64_t>&, error_code& failure) { failure = {}; }
    template <typename Buffers>
    std::size_t put(const Buffers& buffers, error_code& failure) {
      failure = {};
      for (const auto& each : beast::buffers_range_ref(buffers)) {
        body_.append(static_cast<const char*>(each.data()), each.size());
      }
      return beast::buffer_bytes(buffers);
    }
    void finish(error_code& failure) { failure = {}; }

   private:
    value_type& body_;
  };
};

using message = beast::http::response<growing_body>;
using parser = beast::http::response_parser<growing_body>;
using clock = std::chrono::steady_clock;

constexpr auto tuple = asio::as_tuple(asio::use_awaitable);
// 100 Continue, 103 Early Hints: a server has no reason to send more than a few.
constexpr int most_interim_answers = 10;

// A cancellation is the caller's own, and passes as it is.
void pass_cancellation(const error_code& failure) {
  if (failure == asio::error::operation_aborted) throw boost::system::system_error(failure);
}

bool is_end(const error_code& failure) {
  return failure == asio::error::eof || failure == asio::error::connection_reset ||
         failure == asio::error::connection_aborted || failure == asio::error::broken_pipe ||
         failure == asio::ssl::error::stream_truncated ||
         failure == beast::http::error::end_of_stream ||
         failure == beast::http::error::partial_message;
}

error read_failure(const origin& server, const error_code& failure,
                   const connection::limits& allowed) {
  using kind = error_kind;
  using beast::http::error;
  const std::string name = server.text() + ": ";
  if (failure == beast::error::timeout) return {kind::timeout, name + "no complete answer in time"};
  if (failure == error::body_limit) {
    return {kind::too_large,
            name + "the answer is larger than " + std::to_string(allowed.body) + " bytes"};
  }
  if (failure == error::header_limit || failure == error::buffer_overflow) {
    return {kind::too_large, name + "the header of the answer is larger than " +
                                 std::to_string(allowed.header) + " bytes"};
  }
  if (is_end(failure)) {
    return {kind::truncated, name + "the connection was closed before the answer was complete"};
  }
  if (failure.category() == make_error_code(error::bad_version).category()) {
    return {kind::protocol, name + "the answer is not HTTP (" + failure.message() + ")"};
  }
  return {kind::truncated, name + "the connection was lost (" + failure.message() + ")"};
}

response to_response(message received) {
  response out;
  out.status = static_cast<int>(received.result_int());
  for (const auto& field : received) {
    out.headers.add(std::string(field.name_string()), std::string(field.value()));
  }
  out.body = std::move(received.body());
  return out;
}

bool is_refusal(const parser& answer) {
  const unsigned status = answer.get().result_int();
  return status >= 300 || status < 200;
}

// The parser's own limit is the same for every status. `passed_on` is what has left the parser.
bool is_beyond(const parser& answer, const connection::limits& allowed, std::uint64_t passed_on) {
  if (!answer.is_header_done()) return false;
  const std::uint64_t size = passed_on + answer.get().body().size();
  if (is_refusal(answer)) return size > allowed.error_body;
  if (allowed.cut) return size > allowed.body;
  // The answer to a HEAD is done, whatever length it names.
  const std::uint64_t announced = answer.is_done() ? 0 : answer.content_length().value_or(0);
  return std::max<std::uint64_t>(size, announced) > allowed.body;
}

// The status matters more than the end of the text.
message cut_off(message refusal, std::size_t size) {
  if (refusal.body().size() > size) refusal.body().resize(size);
  refusal.keep_alive(false);
  return refusal;
}

// An answer without a length lasts until the connection ends; any other is cut off by it.
error_code at_end(parser& answer) {
  error_code failure;
  if (answer.got_some()) {
    answer.put_eof(failure);
  } else {
    failure = beast::http::error::end_of_stream;
  }
  return failure;
}

// Each address gets its share of the time that is left, so that one that does not answer does not
// use up that of the others.
asio::awaitable<void> connect(plain_stream& stream, origin server,
                              std::vector<asio::ip::address> addresses,
                              clock::time_point deadline) {
  error_code failure;
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    const auto share = (deadline - clock::now()) / static_cast<long>(addresses.size() - i);
    stream.expires_after(std::max(share, clock::duration(std::chrono::milliseconds(1))));
    const tcp::endpoint target(addresses[i], server.port);
    std::tie(failure) = co_await stream.async_connect(target, tuple);
    if (!failure) {
      stream.socket().set_option(tcp::no_delay(true), failure);
      co_return;
    }
    pass_cancellation(failure);
  }
  if (failure == beast::error::timeout) {
    throw error(error_kind::timeout, server.text() + ": no connection in time");
  }
  throw error(error_kind::connect, server.text() + ": no connection: " + failure.message());
}

asio::awaitable<void> shake_hands(tls_stream& stream, origin server, clock::time_point deadline) {
  expect_peer(stream.native_handle(), server.host);
  beast::get_lowest_layer(stream).expires_at(deadline);
  const auto [failure] = co_await stream.async_handshake(asio::ssl::stream_base::client, tuple);
  if (!failure) co_return;
  pass_cancellation(failure);
  if (failure == beast::error::timeout) {
    throw error(error_kind::timeout, server.text() + ": no TLS connection in time");
  }
  // A peer that hangs up says nothing against its certificate.
  if (is_end(failure)) {
    throw error(error_kind::connect, server.text() +
                                         ": the connection was closed during the TLS "
                                         "handshake");
  }
  throw error(error_kind::tls,
              server.text() + ": " + handshake_failure(stream.native_handle(), failure));
}

}  // namespace

connection_closed::connection_closed(const origin& server, bool all_sent)
    : error(error_kind::truncated, server.text() + ": the connection was closed without an answer"),
      request_sent(all_sent) {}

struct connection::stream {
  explicit stream(plain_stream opened) : wire(std::move(opened)) {}
  stream(plain_stream opened, std::shared_ptr<asio::ssl::context> context)
      : tls(std::move(context)), wire(std::in_place_type<tls_stream>, std::move(opened), *tls) {}

  plain_stream& lowest() {
    return std::visit([](auto& each) -> plain_stream& { return beast::get_lowest_layer(each); },
                      wire);
  }

  std::shared_ptr<asio::ssl::context> tls{};
  std::variant<plain_stream, tls_stream> wire;
  beast::flat_buffer received{};

  template <typename Wire>
  asio::awaitable<message> converse(Wire& on, origin server, const std::string& head,
                                    const request& wanted, limits allowed);
  template <typename Wire>
  asio::awaitable<error_code> send(Wire& on, const std::string& head, const request& wanted,
                                   limits allowed);
  template <typename Wire>
  asio::awaitable<error_code> send_pieces(Wire& on, byte_source& from, limits allowed);
  template <typename Wire>
  asio::awaitable<error_code> read(Wire& on, parser& answer, byte_sink* sink, limits allowed);

  /// Until the next piece.
  void limit_time(const limits& allowed) {
    const auto stall = clock::now() + allowed.stall;
    lowest().expires_at(allowed.stall.count() > 0 ? std::min(stall, allowed.deadline)
                                                  : allowed.deadline);
  }
};

/// Gives what has come of a good answer to the sink.
class body_passage {
 public:
  explicit body_passage(byte_sink* to) : to_(to) {}

  std::uint64_t passed_on() const { return passed_on_; }

  asio::awaitable<void> pass_on(parser& answer) {
    if (to_ == nullptr || !answer.is_header_done() || is_refusal(answer)) co_return;
    if (!std::exchange(begun_, true)) to_->restart();
    std::string piece = std::exchange(answer.get().body(), {});
    if (piece.empty()) co_return;
    passed_on_ += piece.size();
    co_await to_->write(std::move(piece));
  }

 private:
  byte_sink* const to_;
  bool begun_ = false;
  std::uint64_t passed_on_ = 0;
};

// Beast's own read starts its next piece without a look at the cancellation that came while the
// last piece was on its way to it, so each piece is asked for here, where co_await looks.
template <typename Wire>
asio::awaitable<error_code> connection::stream::read(Wire& on, parser& answer, byte_sink* sink,
                                                     limits allowed) {
  constexpr std::size_t largest_piece = 64 * 1024;
  answer.eager(true);
  body_passage passage(sink);
  for (;;) {
    error_code failure;
    if (received.size() > 0) {
      received.consume(answer.put(received.data(), failure));
      if (failure && failure != beast::http::error::need_more) co_return failure;
      if (is_beyond(answer, allowed, passage.passed_on())) {
        co_return make_error_code(beast::http::error::body_limit);
      }
      co_await passage.pass_on(answer);
      if (answer.is_done()) co_return error_code{};
    }
    const std::size_t room = std::min(largest_piece, received.max_size() - received.size());
    if (room == 0) co_return beast::http::make_error_code(beast::http::error::buffer_overflow);
    std::size_t size = 0;
    limit_time(allowed);
    std::tie(failure, size) = co_await on.async_read_some(received.prepare(room), tuple);
    pass_cancellation(failure);
    received.commit(size);
    if (failure == asio::error::eof) co_return at_end(answer);
    if (failure) co_return failure;
  }
}

template <typename Wire>
asio::awaitable<error_code> connection::stream::send_pieces(Wire& on, byte_source& from,
                                                            limits allowed) {
  from.rewind();
  std::uint64_t left = from.size();
  while (left > 0) {
    const std::string piece = co_await from.read();
    if (piece.empty() || piece.size() > left) {
      throw error(error_kind::bad_request, "the body of a request has changed while it was sent");
    }
    left -= piece.size();
    limit_time(allowed);
    const auto [unsent, size] = co_await asio::async_write(on, asio::buffer(piece), tuple);
    if (unsent) co_return unsent;
  }
  co_return error_code{};
}

template <typename Wire>
asio::awaitable<error_code> connection::stream::send(Wire& on, const std::string& head,
                                                     const request& wanted, limits allowed) {
  std::array<asio::const_buffer, 2> parts{asio::buffer(head), asio::buffer(wanted.body)};
  if (wanted.source) parts[1] = {};
  limit_time(allowed);
  const auto [unsent, size] = co_await asio::async_write(on, parts, tuple);
  if (unsent || !wanted.source) co_return unsent;
  co_return co_await send_pieces(on, *wanted.source, allowed);
}

template <typename Wire>
asio::awaitable<message> connection::stream::converse(Wire& on, origin server,
                                                      const std::string& head,
                                                      const request& wanted, limits allowed) {
  const error_code unsent = co_await send(on, head, wanted, allowed);
  pass_cancellation(unsent);
  if (unsent == beast::error::timeout) throw read_failure(server, unsent, allowed);
  // A server may refuse a request before it has read all of it, and close. Its answer is worth more
  // than our failure to write, so we read in any case.
  for (int interim = 0; interim <= most_interim_answers; ++interim) {
    parser answer;
    answer.header_limit(static_cast<std::uint32_t>(allowed.header));
    if (allowed.cut) {
      answer.body_limit(boost::none);
    } else {
      answer.body_limit(std::max(allowed.body, allowed.error_body));
    }
    answer.skip(wanted.method == "HEAD");
    const error_code failure = co_await read(on, answer, wanted.sink.get(), allowed);
    if (failure && interim == 0 && !answer.got_some() && is_end(failure)) {
      throw connection_closed(server, !unsent);
    }
    if (failure == beast::http::error::body_limit && (allowed.cut || is_refusal(answer))) {
      const auto size = is_refusal(answer) ? allowed.error_body : allowed.body;
      co_return cut_off(answer.release(), size);
    }
    if (failure) throw read_failure(server, failure, allowed);
    const unsigned status = answer.get().result_int();
    if (status == 101 || status < 100) {
      throw error(error_kind::protocol, server.text() + ": the answer has an unexpected status");
    }
    if (status >= 200) {
      if (unsent) answer.get().keep_alive(false);
      co_return answer.release();
    }
  }
  throw error(error_kind::protocol, server.text() + ": only interim answers came");
}

connection::connection(origin server, std::unique_ptr<stream> opened)
    : server_(std::move(server)), stream_(std::move(opened)) {}

connection::~connection() = default;

asio::awaitable<std::unique_ptr<connection>> connection::open(
    asio::any_io_executor executor, origin server, std::vector<asio::ip::address> addresses,
    std::shared_ptr<asio::ssl::context> tls, time_point deadline) {
  plain_stream plain(executor);
  co_await connect(plain, server, std::move(addresses), deadline);
  std::unique_ptr<stream> opened;
  if (server.tls) {
    opened = std::make_unique<stream>(std::move(plain), std::move(tls));
    co_await shake_hands(std::get<tls_stream>(opened->wire), server, deadline);
  } else {
    opened = std::make_unique<stream>(std::move(plain));
  }
  co_return std::unique_ptr<connection>(new connection(std::move(server), std::move(opened)));
}

asio::awaitable<response> connection::exchange(const std::string& head, const request& wanted,
                                               limits allowed) {
  keep_alive_ = false;
  stream_->received.max_size(allowed.header + 64 * 1024);
  auto work =
      std::visit([&](auto& on) { return stream_->converse(on, server_, head, wanted, allowed); },
                 stream_->wire);
  message answer = co_await std::move(work);
  stream_->lowest().expires_never();
  keep_alive_ = answer.keep_alive() && stream_->received.size() == 0;
  co_return to_response(std::move(answer));
}

bool connection::reusable() const {
  if (!keep_alive_ || !stream_->lowest().socket().is_open()) return false;
  // A quiet connection has nothing to read: neither the end of the stream nor bytes out of turn.
  char byte = 0;
  const auto peeked =
      ::recv(stream_->lowest().socket().native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return peeked < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
}

}  // namespace rowrunner::http
