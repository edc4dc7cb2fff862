#include "support/http_stand_in.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <stdexcept>
#include <utility>

namespace rowrunner::testing {
namespace {

constexpr std::chrono::minutes patience{1};

bool same_name(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](unsigned char x, unsigned char y) {
    return std::tolower(x) == std::tolower(y);
  });
}

std::string path_of(const std::string& target) { return target.substr(0, target.find('?')); }

}  // namespace

std::string http_call::header(std::string_view name) const {
  std::size_t at = raw.find("\r\n") + 2;
  for (;;) {
    const auto end = raw.find("\r\n", at);
    if (end == std::string::npos || end == at) return {};
    const auto colon = raw.find(": ", at);
    if (colon < end && same_name(std::string_view(raw).substr(at, colon - at), name)) {
      return raw.substr(colon + 2, end - colon - 2);
    }
    at = end + 2;
  }
}

void http_exchange::answer(int status, std::string_view body, const fields& headers) {
  std::string out = "HTTP/1.1 " + std::to_string(status) + " Said\r\n";
  for (const auto& [name, value] : headers) {
    out.append(name).append(": ").append(value).append("\r\n");
  }
  out += "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n";
  out += body;
  write(out);
}

struct http_stand_in::tls_context {
  explicit tls_context(const certificate& shown) : raw(SSL_CTX_new(TLS_server_method())) {
    BIO* text = BIO_new_mem_buf(shown.certificate_pem.data(), -1);
    X509* own = PEM_read_bio_X509(text, nullptr, nullptr, nullptr);
    BIO* secret = BIO_new_mem_buf(shown.private_key_pem.data(), -1);
    EVP_PKEY* key = PEM_read_bio_PrivateKey(secret, nullptr, nullptr, nullptr);
    const bool done =
        SSL_CTX_use_certificate(raw, own) == 1 && SSL_CTX_use_PrivateKey(raw, key) == 1;
    X509_free(own);
    EVP_PKEY_free(key);
    BIO_free(text);
    BIO_free(secret);
    if (!done) throw std::runtime_error("stand-in: the certificate cannot be used");
  }
  ~tls_context() { SSL_CTX_free(raw); }
  tls_context(const tls_context&) = delete;
  tls_context& operator=(const tls_context&) = delete;
  SSL_CTX* raw;
};

class http_stand_in::session : public http_exchange {
 public:
  session(int socket, int number, SSL_CTX* tls) : socket_(socket), number_(number) {
    if (tls == nullptr) return;
    tls_ = SSL_new(tls);
    SSL_set_fd(tls_, socket_);
  }
  ~session() override {
    SSL_free(tls_);
    ::close(socket_);
  }
  session(const session&) = delete;
  session& operator=(const session&) = delete;

  bool open() { return tls_ == nullptr || SSL_accept(tls_) == 1; }

  bool read_head() {
    call_ = {};
    call_.connection = number_;
    std::size_t end = std::string::npos;
    while ((end = received_.find("\r\n\r\n")) == std::string::npos) {
      if (!read_some()) return false;
    }
    call_.raw = received_.substr(0, end + 4);
    const auto first = call_.raw.find(' ');
    const auto second = call_.raw.find(' ', first + 1);
    call_.method = call_.raw.substr(0, first);
    call_.target = call_.raw.substr(first + 1, second - first - 1);
    left_ = std::strtoul(call_.header("Content-Length").c_str(), nullptr, 10);
    received_.erase(0, end + 4);
    return true;
  }

  bool read_body() {
    while (received_.size() < left_) {
      if (!read_some()) return false;
    }
    call_.body = received_.substr(0, left_);
    call_.raw += call_.body;
    received_.erase(0, left_);
    left_ = 0;
    return true;
  }

  std::string read_piece() override {
    if (left_ == 0 || (received_.empty() && !read_some())) return {};
    std::string piece = std::exchange(received_, {});
    if (piece.size() > left_) received_ = piece.substr(left_);
    piece.resize(std::min<std::size_t>(piece.size(), left_));
    left_ -= piece.size();
    return piece;
  }
  bool whole_call_read() const { return left_ == 0; }

  const http_call& call() const override { return call_; }

  bool write(std::string_view bytes) override {
    while (!bytes.empty()) {
      const auto sent = tls_ != nullptr
                            ? SSL_write(tls_, bytes.data(), static_cast<int>(bytes.size()))
                            : ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }

  void close() override {
    if (tls_ != nullptr) SSL_shutdown(tls_);
    abort();
  }
  void abort() override {
    closed_ = true;
    ::shutdown(socket_, SHUT_RDWR);
  }
  void hang() override {
    while (read_some()) {
    }
    closed_ = true;
  }
  void drip(std::string_view bytes, std::chrono::milliseconds interval) override {
    for (const char each : bytes) {
      if (!write({&each, 1})) break;
      pollfd client{socket_, POLLIN | POLLRDHUP, 0};
      if (::poll(&client, 1, static_cast<int>(interval.count())) > 0) break;
    }
  }

  bool closed() const { return closed_; }
  /// Wakes the thread of this session, from another one.
  void wake() { ::shutdown(socket_, SHUT_RDWR); }

 private:
  bool read_some() {
    char buffer[16384];
    const auto got = tls_ != nullptr ? SSL_read(tls_, buffer, sizeof buffer)
                                     : ::recv(socket_, buffer, sizeof buffer, 0);
    if (got <= 0) return false;
    received_.append(buffer, static_cast<std::size_t>(got));
    return true;
  }

  const int socket_;
  const int number_;
  SSL* tls_ = nullptr;
  std::string received_;
  http_call call_;
  /// Bytes of the body that were not read yet.
  std::size_t left_ = 0;
  bool closed_ = false;
};

http_stand_in::http_stand_in(std::optional<certificate> tls) {
  // SSL_write has no MSG_NOSIGNAL.
  std::signal(SIGPIPE, SIG_IGN);
  if (tls) tls_ = std::make_unique<tls_context>(*tls);
  listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* raw = reinterpret_cast<sockaddr*>(&address);
  if (::bind(listener_, raw, size) != 0 || ::listen(listener_, 128) != 0 ||
      ::getsockname(listener_, raw, &size) != 0) {
    throw std::runtime_error("stand-in: cannot listen on 127.0.0.1");
  }
  port_ = ntohs(address.sin_port);
  acceptor_ = std::thread([this] { accept(); });
}

http_stand_in::~http_stand_in() {
  {
    const std::lock_guard hold(mutex_);
    stopping_ = true;
    for (const auto& each : sessions_) each->wake();
  }
  ::shutdown(listener_, SHUT_RDWR);
  acceptor_.join();
  for (auto& each : threads_) each.join();
  ::close(listener_);
}

void http_stand_in::accept() {
  for (;;) {
    const int socket = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (socket < 0 && errno == EINTR) continue;
    if (socket < 0) return;
    const std::lock_guard hold(mutex_);
    auto made = std::make_shared<session>(socket, ++connections_, tls_ ? tls_->raw : nullptr);
    if (stopping_) return;
    sessions_.push_back(made);
    threads_.emplace_back([this, made] { serve(*made); });
    changed_.notify_all();
  }
}

void http_stand_in::serve(session& on) {
  if (on.open()) {
    while (!on.closed() && on.whole_call_read() && on.read_head()) {
      if (!streams(on.call()) && !on.read_body()) break;
      route what;
      {
        const std::lock_guard hold(mutex_);
        calls_.push_back(on.call());
        what = find(on.call());
        changed_.notify_all();
      }
      what(on);
    }
  }
  on.wake();
  const std::lock_guard hold(mutex_);
  sessions_.remove_if([&](const auto& each) { return each.get() == &on; });
  ++closed_;
  changed_.notify_all();
}

http_stand_in::route http_stand_in::find(const http_call& call) const {
  const auto found = routes_.find(call.method + " " + path_of(call.target));
  if (found != routes_.end()) return found->second;
  return [](http_exchange& x) { x.answer(404, "no such route"); };
}

void http_stand_in::on(const std::string& method_and_path, route what) {
  const std::lock_guard hold(mutex_);
  routes_.insert_or_assign(method_and_path, std::move(what));
}

void http_stand_in::on_stream(const std::string& method_and_path, route what) {
  on(method_and_path, std::move(what));
  const std::lock_guard hold(mutex_);
  streamed_.insert(method_and_path);
}

bool http_stand_in::streams(const http_call& call) const {
  const std::lock_guard hold(mutex_);
  return streamed_.contains(call.method + " " + path_of(call.target));
}

std::string http_stand_in::url(const std::string& path, const std::string& host) const {
  return (tls_ ? "https://" : "http://") + host + ":" + std::to_string(port_) + path;
}

std::vector<http_call> http_stand_in::calls() const {
  const std::lock_guard hold(mutex_);
  return calls_;
}

std::vector<http_call> http_stand_in::calls(const std::string& method_and_path) const {
  std::vector<http_call> out;
  for (auto& each : calls()) {
    if (each.method + " " + path_of(each.target) == method_and_path) out.push_back(each);
  }
  return out;
}

int http_stand_in::connections() const {
  const std::lock_guard hold(mutex_);
  return connections_;
}

bool http_stand_in::wait_for_calls(std::size_t count) const {
  std::unique_lock hold(mutex_);
  return changed_.wait_for(hold, patience, [&] { return calls_.size() >= count; });
}

bool http_stand_in::wait_for_closed(std::size_t count) const {
  std::unique_lock hold(mutex_);
  return changed_.wait_for(hold, patience, [&] { return closed_ >= count; });
}

}  // namespace rowrunner::testing
