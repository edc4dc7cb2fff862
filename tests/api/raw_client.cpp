#include "api/raw_client.hpp"

#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <sstream>

namespace rowrunner::testing {
namespace {

using clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds patience{20'000};

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

}  // namespace

std::string http_reply::header(const std::string& name) const {
  std::istringstream lines(head);
  for (std::string line; std::getline(lines, line);) {
    const auto colon = line.find(": ");
    if (colon == std::string::npos || lower(line.substr(0, colon)) != name) continue;
    return line.substr(colon + 2, line.size() - colon - 3);
  }
  return "";
}

raw_client::raw_client(int port) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(static_cast<std::uint16_t>(port));
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(socket_, reinterpret_cast<sockaddr*>(&to), sizeof to) == 0) return;
  ::close(socket_);
  socket_ = -1;
}

raw_client::~raw_client() {
  if (socket_ >= 0) ::close(socket_);
}

bool raw_client::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

void raw_client::half_close() { ::shutdown(socket_, SHUT_WR); }

/// Reads once. False at the end, and when the time is over.
bool raw_client::fill(clock::time_point deadline) {
  const auto left = std::chrono::ceil<milliseconds>(deadline - clock::now()).count();
  pollfd waiting{socket_, POLLIN, 0};
  if (left <= 0 || ::poll(&waiting, 1, static_cast<int>(left)) <= 0) return false;
  std::array<char, 65536> bytes{};
  const auto got = ::recv(socket_, bytes.data(), bytes.size(), 0);
  ended_ = got <= 0;
  if (ended_) return false;
  pending_.append(bytes.data(), static_cast<std::size_t>(got));
  return true;
}

std::optional<std::string> raw_client::read_to_end(milliseconds at_most) {
  const auto deadline = clock::now() + at_most;
  while (fill(deadline)) {
  }
  if (!ended_) return std::nullopt;
  return std::exchange(pending_, {});
}

std::optional<std::string> raw_client::read_until(std::string_view end) {
  const auto deadline = clock::now() + patience;
  auto at = pending_.find(end);
  for (; at == std::string::npos; at = pending_.find(end)) {
    if (!fill(deadline)) return std::nullopt;
  }
  const auto out = pending_.substr(0, at + end.size());
  pending_.erase(0, out.size());
  return out;
}

std::optional<http_reply> raw_client::read_reply(bool has_body) {
  if (!connected()) return std::nullopt;
  const auto deadline = clock::now() + patience;
  auto end = pending_.find("\r\n\r\n");
  for (; end == std::string::npos; end = pending_.find("\r\n\r\n")) {
    if (!fill(deadline)) return std::nullopt;
  }
  http_reply out;
  out.head = pending_.substr(0, end + 2);
  out.status = std::stoi(out.head.substr(9, 3));
  pending_.erase(0, end + 4);
  const auto length = out.header("content-length");
  const std::size_t size = has_body && !length.empty() ? std::stoul(length) : 0;
  while (pending_.size() < size) {
    if (!fill(deadline)) return std::nullopt;
  }
  out.body = pending_.substr(0, size);
  pending_.erase(0, size);
  return out;
}

http_reply raw_client::call(const std::string& method, const std::string& target,
                            const header_fields& fields, const std::string& body) {
  std::string text = method + " " + target + " HTTP/1.1\r\nHost: localhost\r\n";
  for (const auto& [name, value] : fields) text += name + ": " + value + "\r\n";
  if (!body.empty()) text += "Content-Length: " + std::to_string(body.size()) + "\r\n";
  send(text + "\r\n" + body);
  return read_reply(method != "HEAD").value_or(http_reply{});
}

http_reply ask(int port, const std::string& method, const std::string& target,
               const header_fields& fields, const std::string& body) {
  raw_client one(port);
  return one.call(method, target, fields, body);
}

}  // namespace rowrunner::testing
