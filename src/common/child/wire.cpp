#include "common/child/wire.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <system_error>

namespace rowrunner::child {
namespace {

[[noreturn]] void fail(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

union control_space {
  cmsghdr alignment;
  std::array<char, CMSG_SPACE(sizeof(int) * max_files)> bytes;
};

std::vector<descriptor> files_of(msghdr& from) {
  std::vector<descriptor> out;
  for (auto* each = CMSG_FIRSTHDR(&from); each != nullptr; each = CMSG_NXTHDR(&from, each)) {
    if (each->cmsg_level != SOL_SOCKET || each->cmsg_type != SCM_RIGHTS) continue;
    const auto count = (each->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(each) + i * sizeof(int), sizeof fd);
      out.emplace_back(fd);
    }
  }
  return out;
}

/// False at the end of the stream.
bool read_all(int socket, char* to, std::size_t count) {
  while (count > 0) {
    const auto got = ::read(socket, to, count);
    if (got == 0) return false;
    if (got < 0) {
      if (errno == EINTR) continue;
      if (errno == ECONNRESET) return false;
      fail("read");
    }
    to += got;
    count -= static_cast<std::size_t>(got);
  }
  return true;
}

bool readable_within(int socket, int patience_ms) {
  pollfd wanted{socket, POLLIN, 0};
  int count = 0;
  do {
    count = ::poll(&wanted, 1, patience_ms);
  } while (count < 0 && errno == EINTR);
  return count > 0;
}

void write_all(int socket, const char* from, std::size_t count) {
  while (count > 0) {
    const auto put = ::write(socket, from, count);
    if (put < 0) {
      if (errno == EINTR) continue;
      fail("write");
    }
    from += put;
    count -= static_cast<std::size_t>(put);
  }
}

}  // namespace

std::string frame_of(const std::string& text) {
  const auto number = static_cast<std::uint32_t>(text.size());
  std::string out(head_bytes, '\0');
  std::memcpy(out.data(), &number, sizeof number);
  return out + text;
}

std::size_t length_in(const char* frame) {
  std::uint32_t number = 0;
  std::memcpy(&number, frame, sizeof number);
  return number;
}

std::string text_of(const nlohmann::json& value) {
  return value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::size_t send_start(int socket, const std::string& frame, std::span<const descriptor> files) {
  if (files.size() > max_files) throw std::logic_error("too many files for a child process");
  iovec part{const_cast<char*>(frame.data()), frame.size()};
  control_space space{};
  msghdr whole{};
  whole.msg_iov = &part;
  whole.msg_iovlen = 1;
  if (!files.empty()) {
    whole.msg_control = space.bytes.data();
    whole.msg_controllen = CMSG_SPACE(sizeof(int) * files.size());
    auto* control = CMSG_FIRSTHDR(&whole);
    control->cmsg_level = SOL_SOCKET;
    control->cmsg_type = SCM_RIGHTS;
    control->cmsg_len = CMSG_LEN(sizeof(int) * files.size());
    for (std::size_t i = 0; i < files.size(); ++i) {
      const int fd = files[i].get();
      std::memcpy(CMSG_DATA(control) + i * sizeof fd, &fd, sizeof fd);
    }
  }
  const auto sent = ::sendmsg(socket, &whole, MSG_NOSIGNAL | MSG_DONTWAIT);
  if (sent >= 0) return static_cast<std::size_t>(sent);
  if (errno == EAGAIN || errno == EINTR) return 0;
  fail("sendmsg");
}

std::optional<message> receive(int socket, int patience_ms) {
  if (!readable_within(socket, patience_ms)) return std::nullopt;
  std::array<char, 16 * 1024> start;
  iovec part{start.data(), start.size()};
  control_space space{};
  msghdr whole{};
  whole.msg_iov = &part;
  whole.msg_iovlen = 1;
  whole.msg_control = space.bytes.data();
  whole.msg_controllen = space.bytes.size();
  ssize_t got = 0;
  do {
    got = ::recvmsg(socket, &whole, MSG_CMSG_CLOEXEC);
  } while (got < 0 && errno == EINTR);
  if (got == 0 || (got < 0 && errno == ECONNRESET)) return std::nullopt;
  if (got < 0) fail("recvmsg");
  message out;
  out.files = files_of(whole);
  auto count = static_cast<std::size_t>(got);
  if (count < head_bytes) {
    if (!read_all(socket, start.data() + count, head_bytes - count)) return std::nullopt;
    count = head_bytes;
  }
  std::string text(start.data() + head_bytes, count - head_bytes);
  const auto have = text.size();
  text.resize(std::max(have, length_in(start.data())));
  if (!read_all(socket, text.data() + have, text.size() - have)) return std::nullopt;
  out.body = nlohmann::json::parse(text);
  return out;
}

void send(int socket, const std::string& text) {
  const auto frame = frame_of(text);
  write_all(socket, frame.data(), frame.size());
}

}  // namespace rowrunner::child
