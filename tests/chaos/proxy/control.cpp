#include "chaos/proxy/control.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <charconv>
#include <sstream>
#include <stdexcept>

#include "chaos/recorder.hpp"

namespace rowrunner::chaos {

namespace asio = boost::asio;
using tcp = asio::ip::tcp;

namespace {

constexpr auto gracefully = asio::as_tuple(asio::use_awaitable);

std::vector<std::string> split(const std::string& line) {
  std::istringstream from(line);
  std::vector<std::string> found;
  for (std::string word; from >> word;) found.push_back(word);
  return found;
}

const std::string& at(const std::vector<std::string>& words, std::size_t index, const char* what) {
  if (index >= words.size()) throw std::invalid_argument(std::string("which ") + what + "?");
  return words[index];
}

template <typename Number>
Number number(const std::string& text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) {
    throw std::invalid_argument(text + " is not a number that fits");
  }
  return value;
}

direction way(const std::string& word) {
  if (word == "to-server") return direction::to_server;
  if (word == "to-client") return direction::to_client;
  throw std::invalid_argument(word + " is neither to-server nor to-client");
}

message_rule read_rule(const std::vector<std::string>& said) {
  message_rule rule;
  rule.what = said.front() == "cut" ? treatment::cut : treatment::drop;
  rule.way = way(at(said, 2, "direction"));
  const auto& name = at(said, 3, "message");
  if (name != "commit") {
    rule.type = type_named(name, rule.way);
    if (!rule.type) throw std::invalid_argument("no message " + name + " goes " + said[2]);
  }
  if (said.size() > 4) rule.times = number<int>(said[4]);
  if (said.size() > 5) rule.within = said[5];
  return rule;
}

}  // namespace

control::control(asio::io_context& io, const std::string& socket_path,
                 const std::string& record_path)
    : io_(io), acceptor_(io, asio::local::stream_protocol::endpoint(socket_path)) {
  if (!record_path.empty()) record_ = open_record(record_path);
  asio::co_spawn(io_, accept(), asio::detached);
}

control::~control() {
  if (record_ >= 0) close(record_);
}

asio::awaitable<void> control::accept() {
  for (;;) {
    auto [error, peer] = co_await acceptor_.async_accept(gracefully);
    if (error) co_return;
    asio::co_spawn(io_, serve(std::move(peer)), asio::detached);
  }
}

asio::awaitable<void> control::serve(socket peer) {
  std::string received;
  for (;;) {
    const auto into = asio::dynamic_buffer(received);
    const auto [error, size] = co_await asio::async_read_until(peer, into, '\n', gracefully);
    if (error) co_return;
    const std::string answer = obey(received.substr(0, size - 1)) + "\n";
    received.erase(0, size);
    const auto [failed, written] =
        co_await asio::async_write(peer, asio::buffer(answer), gracefully);
    if (failed) co_return;
  }
}

std::string control::obey(const std::string& line) {
  try {
    const auto said = split(line);
    const auto& verb = at(said, 0, "command");
    return verb == "open" ? open(said) : change(said);
  } catch (const std::exception& e) {
    return std::string("error: ") + e.what();
  }
}

std::string control::open(const words& said) {
  const auto& name = at(said, 1, "link");
  const auto& upstream = at(said, 2, "server");
  const auto colon = upstream.rfind(':');
  if (colon == std::string::npos) throw std::invalid_argument("a server is HOST:PORT");
  const tcp::endpoint server(asio::ip::make_address(upstream.substr(0, colon)),
                             number<std::uint16_t>(upstream.substr(colon + 1)));
  const auto port = said.size() > 3 ? number<std::uint16_t>(said[3]) : std::uint16_t{0};
  if (links_.contains(name)) throw std::invalid_argument("there is a link " + name + " already");
  const auto tell = [this, name](const std::string& what) { record(name, what); };
  auto& fresh = links_[name] = std::make_unique<link>(io_, server, port, tell);
  return "ok " + std::to_string(fresh->port());
}

std::string control::change(const words& said) {
  const auto found = links_.find(at(said, 1, "link"));
  if (found == links_.end()) throw std::invalid_argument("there is no link " + said[1]);
  auto& on = *found->second;
  const auto& verb = said.front();
  if (verb == "connections") return "ok " + std::to_string(on.connections());
  if (verb == "reset") {
    on.reset();
  } else if (verb == "half-close") {
    on.half_close();
  } else {
    set_fault(on, said);
    on.changed();
  }
  return "ok";
}

void control::set_fault(link& on, const words& said) {
  auto& faults = on.faults();
  const auto& verb = said.front();
  if (verb == "heal") {
    faults = {};
  } else if (verb == "stall") {
    faults.stalled = true;
  } else if (verb == "refuse") {
    faults.refusing = true;
  } else if (verb == "delay") {
    const std::chrono::milliseconds time{number<int>(at(said, 2, "time"))};
    const bool both = said.size() < 4;
    if (both || way(said[3]) == direction::to_server) faults.delay_to_server = time;
    if (both || way(said[3]) == direction::to_client) faults.delay_to_client = time;
  } else if (verb == "drip") {
    faults.piece = number<std::size_t>(at(said, 2, "size"));
    const std::chrono::milliseconds time{number<int>(at(said, 3, "time"))};
    faults.delay_to_server = faults.delay_to_client = time;
  } else if (verb == "cut-bytes") {
    faults.limit = byte_limit{way(at(said, 2, "direction")),
                              number<std::uint64_t>(at(said, 3, "number of bytes"))};
  } else if (verb == "cut" || verb == "drop") {
    faults.rules.push_back(read_rule(said));
  } else {
    throw std::invalid_argument("there is no command " + verb);
  }
}

void control::record(const std::string& link_name, const std::string& what) {
  if (record_ >= 0) append_record(record_, link_name + " " + what);
}

}  // namespace rowrunner::chaos
