#include "common/pg/readiness.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace rowrunner::pg {

namespace asio = boost::asio;

readiness::readiness(const asio::any_io_executor& executor) : socket_(executor), alarm_(executor) {}

readiness::~readiness() { unwatch(); }

void readiness::watch(int socket) {
  unwatch();
  socket_.assign(socket);
}

void readiness::unwatch() {
  // Handlers of the old watch may already be queued; the count tells them that they are late.
  ++watches_;
  read_ = {};
  write_ = {};
  if (socket_.is_open()) socket_.release();
}

void readiness::arm(direction readiness::*which, descriptor::wait_type type) {
  if ((this->*which).armed) return;
  this->*which = {.armed = true, .ready = false};
  socket_.async_wait(type, [self = shared_from_this(), which, watch = watches_](auto) {
    if (self->watches_ != watch) return;
    // An error counts as ready: libpq finds the same error when it touches the socket.
    *self.*which = {.armed = false, .ready = true};
    self->alarm_.cancel();
  });
}

asio::awaitable<void> readiness::wait(interest wanted, clock::time_point deadline,
                                      cancellation cancel) {
  // No wakeup is lost between arm() and the wait, as handlers never run inside these calls.
  if (wanted.read) arm(&readiness::read_, descriptor::wait_read);
  if (wanted.write) arm(&readiness::write_, descriptor::wait_write);
  alarm_.expires_at(deadline);
  if (cancel == cancellation::honoured) {
    co_await alarm_.async_wait(asio::as_tuple(asio::use_awaitable));
  } else {
    co_await alarm_.async_wait(asio::bind_cancellation_slot(asio::cancellation_slot(),
                                                            asio::as_tuple(asio::use_awaitable)));
  }
}

bool readiness::saw(interest wanted) const noexcept {
  return (wanted.read && read_.ready) || (wanted.write && write_.ready);
}

}  // namespace rowrunner::pg
