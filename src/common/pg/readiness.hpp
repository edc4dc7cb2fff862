#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstdint>
#include <memory>

namespace rowrunner::pg {

/// Lets one coroutine sleep until a socket that libpq owns is readable or writable, a deadline
/// passes or wake() is called.
///
/// It is shared, because a completion handler of Asio may run after the connection is gone.
class readiness : public std::enable_shared_from_this<readiness> {
 public:
  using clock = std::chrono::steady_clock;

  struct interest {
    bool read = false;
    bool write = false;
  };
  enum class cancellation { honoured, ignored };

  explicit readiness(const boost::asio::any_io_executor& executor);
  ~readiness();
  readiness(const readiness&) = delete;
  readiness& operator=(const readiness&) = delete;

  void watch(int socket);
  /// Gives the socket back without closing it; only libpq closes it.
  void unwatch();

  /// May return early; the caller looks at what it waits for and waits again.
  boost::asio::awaitable<void> wait(interest wanted, clock::time_point deadline,
                                    cancellation cancel);
  void wake() { alarm_.cancel(); }

  /// Whether what is wanted was seen since watch().
  bool saw(interest wanted) const noexcept;

 private:
  using descriptor = boost::asio::posix::stream_descriptor;

  struct direction {
    bool armed = false;
    bool ready = false;
  };

  void arm(direction readiness::*which, descriptor::wait_type type);

  descriptor socket_;
  boost::asio::steady_timer alarm_;
  direction read_;
  direction write_;
  std::uint64_t watches_ = 0;
};

}  // namespace rowrunner::pg
