#include "common/http/resolver.hpp"

#include <fcntl.h>
#include <netdb.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>
#include <cerrno>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "common/http/error.hpp"

namespace rowrunner::http {

namespace asio = boost::asio;
using asio::ip::address;

namespace {

int checked(int descriptor) {
  if (descriptor < 0) {
    throw std::system_error(errno, std::generic_category(), "no descriptor for a look-up");
  }
  return descriptor;
}

address to_address(const sockaddr& from) {
  if (from.sa_family == AF_INET) {
    const auto& in = reinterpret_cast<const sockaddr_in&>(from);
    return asio::ip::address_v4(ntohl(in.sin_addr.s_addr));
  }
  const auto& in = reinterpret_cast<const sockaddr_in6&>(from);
  asio::ip::address_v6::bytes_type bytes;
  std::copy_n(in.sin6_addr.s6_addr, bytes.size(), bytes.begin());
  return asio::ip::address_v6(bytes, in.sin6_scope_id);
}

/// The caller waits for the limit, and the bell ends that early.
struct ring {
  ring(const asio::any_io_executor& executor, int descriptor,
       std::chrono::steady_clock::time_point deadline)
      : bell(executor, checked(::fcntl(descriptor, F_DUPFD_CLOEXEC, 0))),
        limit(executor, deadline) {}

  asio::posix::stream_descriptor bell;
  asio::steady_timer limit;
  bool rung = false;
};

}  // namespace

std::vector<address> system_lookup(const std::string& host) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int failure = ::getaddrinfo(host.c_str(), nullptr, &hints, &found);
  if (failure != 0) throw error(error_kind::resolve, ::gai_strerror(failure));
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owned(found, &::freeaddrinfo);
  std::vector<address> out;
  for (const addrinfo* each = found; each != nullptr; each = each->ai_next) {
    if (each->ai_family == AF_INET || each->ai_family == AF_INET6) {
      out.push_back(to_address(*each->ai_addr));
    }
  }
  return out;
}

/// Shared by the caller and a thread. The thread rings a bell of the kernel's: an io_context may be
/// gone by the time that a look-up which hung comes back.
struct resolver::request {
  explicit request(std::string name) : host(std::move(name)) {}
  ~request() { ::close(bell); }
  request(const request&) = delete;
  request& operator=(const request&) = delete;

  void answer(const host_lookup& lookup) {
    try {
      found = lookup(host);
    } catch (const std::exception& why) {
      failure = why.what();
    }
    done.store(true, std::memory_order_release);
    ::eventfd_write(bell, 1);
  }

  const std::string host;
  const int bell = checked(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  std::vector<address> found{};
  std::string failure{};
  std::atomic<bool> done = false;
};

/// Outlives the resolver as long as a thread that hangs uses it.
struct resolver::shared {
  shared(host_lookup how, std::size_t most) : lookup(std::move(how)), max_threads(most) {}

  const host_lookup lookup;
  const std::size_t max_threads;
  std::mutex lock{};
  std::condition_variable changed{};
  /// A request that no caller waits for any more is expired.
  std::deque<std::weak_ptr<request>> waiting{};
  std::size_t threads = 0;
  std::size_t idle = 0;
  bool closed = false;
};

resolver::resolver(host_lookup lookup, std::size_t max_threads)
    : state_(std::make_shared<shared>(std::move(lookup), max_threads)) {}

resolver::~resolver() {
  const std::lock_guard hold(state_->lock);
  state_->closed = true;
  state_->changed.notify_all();
}

std::shared_ptr<resolver::request> resolver::start(const std::string& host) {
  auto started = std::make_shared<request>(host);
  const std::lock_guard hold(state_->lock);
  std::erase_if(state_->waiting, [](const auto& each) { return each.expired(); });
  state_->waiting.push_back(started);
  if (state_->idle >= state_->waiting.size() || state_->threads >= state_->max_threads) {
    state_->changed.notify_one();
  } else {
    std::thread(serve, state_).detach();
    ++state_->threads;
  }
  return started;
}

void resolver::serve(const std::shared_ptr<shared>& state) {
  std::unique_lock hold(state->lock);
  for (;;) {
    ++state->idle;
    state->changed.wait(hold, [&] { return state->closed || !state->waiting.empty(); });
    --state->idle;
    if (state->closed) return;
    auto wanted = state->waiting.front().lock();
    state->waiting.pop_front();
    if (!wanted) continue;
    hold.unlock();
    wanted->answer(state->lookup);
    wanted.reset();
    hold.lock();
  }
}

asio::awaitable<std::vector<address>> resolver::resolve(
    asio::any_io_executor executor, origin server, std::chrono::steady_clock::time_point deadline) {
  boost::system::error_code not_numeric;
  const auto numeric = asio::ip::make_address(server.host, not_numeric);
  if (!not_numeric) co_return std::vector<address>(1, numeric);

  const auto started = start(server.host);
  const auto wait = std::make_shared<ring>(executor, started->bell, deadline);
  wait->bell.async_wait(asio::posix::stream_descriptor::wait_read,
                        [wait](const boost::system::error_code& failure) {
                          wait->rung = !failure;
                          wait->limit.cancel();
                        });
  const auto [woken] = co_await wait->limit.async_wait(asio::as_tuple(asio::use_awaitable));
  wait->bell.cancel();
  // A cancellation that came first counts, even if the look-up is done by now.
  if (!wait->rung || !started->done.load(std::memory_order_acquire)) {
    if (woken) throw boost::system::system_error(woken);
    throw error(error_kind::timeout, server.text() + ": the look-up of the host took too long");
  }
  if (started->found.empty()) {
    const std::string why = started->failure.empty() ? "" : " (" + started->failure + ")";
    throw error(error_kind::resolve, server.text() + ": the host is not known" + why);
  }
  co_return std::move(started->found);
}

}  // namespace rowrunner::http
