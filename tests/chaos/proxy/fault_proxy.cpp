#include "chaos/proxy/fault_proxy.hpp"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <stdexcept>
#include <system_error>

#include "chaos/paths.hpp"

namespace rowrunner::chaos {
namespace {

struct span {
  std::size_t begin;
  std::size_t end;
};

/// Where HOST:PORT stands in postgresql://user:password@HOST:PORT/database?...
span authority_in(const std::string& url) {
  const auto scheme = url.find("://");
  if (scheme == std::string::npos) throw std::invalid_argument("not a URL: " + url);
  const auto end = std::min(url.find_first_of("/?", scheme + 3), url.size());
  const auto at = url.rfind('@', end);
  return {at == std::string::npos ? scheme + 3 : at + 1, end};
}

int connect_to(const std::string& path) {
  const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) throw std::invalid_argument(path + " is too long");
  std::copy(path.begin(), path.end(), address.sun_path);
  if (::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    const int error = errno;
    ::close(socket);
    throw std::system_error(error, std::generic_category(), path);
  }
  return socket;
}

}  // namespace

std::string authority_of(const std::string& url) {
  const auto [begin, end] = authority_in(url);
  return url.substr(begin, end - begin);
}

std::string with_authority(std::string url, const std::string& authority) {
  const auto [begin, end] = authority_in(url);
  return url.replace(begin, end - begin, authority);
}

fault_proxy::fault_proxy(const std::string& folder)
    : folder_(folder), process_({fault_proxy_binary(), folder + "/proxy.sock", record_path()}) {
  if (!process_.wait_for_output_line("^ready$")) {
    throw std::runtime_error("the fault proxy did not start: " + process_.err());
  }
  socket_ = connect_to(folder + "/proxy.sock");
}

fault_proxy::~fault_proxy() { ::close(socket_); }

std::string fault_proxy::tell(const std::string& command) {
  const std::lock_guard lock(mutex_);
  const std::string line = command + "\n";
  std::string answer;
  bool fine =
      ::send(socket_, line.data(), line.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(line.size());
  for (char byte = 0; fine && byte != '\n'; answer += byte) {
    fine = ::recv(socket_, &byte, 1, 0) == 1;
  }
  if (!fine || !answer.starts_with("ok")) {
    throw std::runtime_error("the fault proxy answered to '" + command + "': " + answer);
  }
  return answer.size() > 4 ? answer.substr(3, answer.size() - 4) : "";
}

std::string fault_proxy::open(const std::string& link, const std::string& url,
                              std::string upstream) {
  if (upstream.empty()) upstream = authority_of(url);
  return with_authority(url, "127.0.0.1:" + tell("open " + link + " " + upstream));
}

}  // namespace rowrunner::chaos
