#include "chaos/proxy/link.hpp"

#include <array>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

namespace rowrunner::chaos {

namespace asio = boost::asio;
using tcp = asio::ip::tcp;

namespace {

constexpr auto gracefully = asio::as_tuple(asio::use_awaitable);

std::string name_of(direction way) {
  return way == direction::to_server ? "to-server" : "to-client";
}

std::string describe(direction way, const message& each, const meaning& what) {
  const std::string type = each.type == untyped ? "startup" : std::string(1, each.type);
  return name_of(way) + " " + (what.commits ? "commit" : "message") + " " + type + " [" +
         what.about.statements + "]";
}

}  // namespace

/// One client and its own connection to the server.
class link::session : public std::enable_shared_from_this<session> {
 public:
  session(link& home, tcp::socket client)
      : home_(home), client_(std::move(client)), server_(home.io_) {}

  asio::awaitable<void> run();
  void reset();
  void half_close() {
    boost::system::error_code ignored;
    client_.shutdown(tcp::socket::shutdown_send, ignored);
  }

 private:
  asio::awaitable<void> pump(direction way);
  asio::awaitable<bool> pass_messages(direction way, framer& stream);
  asio::awaitable<bool> send(direction way, std::string bytes);
  asio::awaitable<void> pause(std::chrono::milliseconds time);
  tcp::socket& source(direction way) { return way == direction::to_server ? client_ : server_; }
  tcp::socket& sink(direction way) { return way == direction::to_server ? server_ : client_; }

  link& home_;
  tcp::socket client_;
  tcp::socket server_;
  conversation talk_;
  int pumps_ = 0;
};

asio::awaitable<void> link::session::run() {
  const auto self = shared_from_this();
  co_await home_.open_gate();
  const auto [error] = co_await server_.async_connect(home_.upstream_, gracefully);
  if (error || !client_.is_open()) {
    reset();
    home_.sessions_.erase(self);
    co_return;
  }
  const tcp::no_delay at_once(true);
  boost::system::error_code ignored;
  client_.set_option(at_once, ignored);
  server_.set_option(at_once, ignored);
  pumps_ = 2;
  for (const auto way : {direction::to_server, direction::to_client}) {
    asio::co_spawn(home_.io_, pump(way), [self](const std::exception_ptr&) {
      if (--self->pumps_ == 0) self->home_.sessions_.erase(self);
    });
  }
}

void link::session::reset() {
  boost::system::error_code ignored;
  // A close with unsent data thrown away is a reset to the peer.
  client_.set_option(asio::socket_base::linger(true, 0), ignored);
  client_.close(ignored);
  server_.close(ignored);
}

asio::awaitable<void> link::session::pause(std::chrono::milliseconds time) {
  asio::steady_timer timer(home_.io_, time);
  co_await timer.async_wait(gracefully);
}

asio::awaitable<void> link::session::pump(direction way) {
  const auto self = shared_from_this();
  framer stream(way);
  std::array<char, 16 * 1024> buffer{};
  for (;;) {
    co_await home_.open_gate();
    const auto into = asio::buffer(buffer);
    const auto [error, size] = co_await source(way).async_read_some(into, gracefully);
    // What came while the link was stalled waits with the rest.
    co_await home_.open_gate();
    if (error) break;
    stream.feed(std::string_view(buffer.data(), size));
    if (!co_await pass_messages(way, stream)) co_return;
  }
  boost::system::error_code ignored;
  sink(way).shutdown(tcp::socket::shutdown_send, ignored);
}

/// Passes on what is whole. False when the connection has ended.
asio::awaitable<bool> link::session::pass_messages(direction way, framer& stream) {
  std::string out;
  while (auto each = stream.next()) {
    if (each->asks_for_encryption()) {
      std::string no = "N";
      if (!co_await send(direction::to_client, std::move(no))) co_return false;
      continue;
    }
    const auto what =
        way == direction::to_server ? talk_.from_client(*each) : talk_.from_server(*each);
    const auto treated = home_.faults_.treat(way, *each, what);
    if (treated == treatment::pass) {
      out += each->bytes;
      continue;
    }
    home_.tell_((treated == treatment::cut ? "cut " : "dropped ") + describe(way, *each, what));
    if (treated == treatment::drop) continue;
    co_await send(way, std::move(out));
    reset();
    co_return false;
  }
  co_return co_await send(way, std::move(out));
}

asio::awaitable<bool> link::session::send(direction way, std::string bytes) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const auto& faults = home_.faults_;
    const std::size_t left = bytes.size() - done;
    const std::size_t wanted = faults.piece > 0 ? std::min(faults.piece, left) : left;
    if (faults.delay(way).count() > 0) co_await pause(faults.delay(way));
    const std::size_t allowed = home_.faults_.allowed(way, wanted);
    const auto from = asio::buffer(bytes.data() + done, allowed);
    const auto [error, written] = co_await asio::async_write(sink(way), from, gracefully);
    if (!error && allowed == wanted) {
      done += written;
      continue;
    }
    if (!error) home_.tell_("cut " + name_of(way) + " after bytes");
    reset();
    co_return false;
  }
  co_return true;
}

link::link(asio::io_context& io, tcp::endpoint upstream, std::uint16_t port, listener tell)
    : io_(io),
      upstream_(std::move(upstream)),
      acceptor_(io, tcp::endpoint(asio::ip::address_v4::loopback(), port)),
      tell_(std::move(tell)),
      gate_(io, asio::steady_timer::time_point::max()) {
  asio::co_spawn(io_, accept(), asio::detached);
}

link::~link() = default;

asio::awaitable<void> link::open_gate() {
  while (faults_.stalled) co_await gate_.async_wait(gracefully);
}

asio::awaitable<void> link::accept() {
  for (;;) {
    auto [error, client] = co_await acceptor_.async_accept(gracefully);
    if (error) co_return;
    if (faults_.refusing) continue;  // closes it
    const auto fresh = std::make_shared<session>(*this, std::move(client));
    sessions_.insert(fresh);
    asio::co_spawn(io_, fresh->run(), asio::detached);
  }
}

void link::reset() {
  for (const auto& each : sessions_) each->reset();
  changed();
}

void link::half_close() {
  for (const auto& each : sessions_) each->half_close();
}

}  // namespace rowrunner::chaos
