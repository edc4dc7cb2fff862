#include <algorithm>
#include <utility>

#include "common/pg/connection.hpp"

namespace rowrunner::pg {

void connection::collect_notifications() {
  struct free_notify {
    void operator()(PGnotify* each) const noexcept { PQfreemem(each); }
  };
  while (const auto each = std::unique_ptr<PGnotify, free_notify>(PQnotifies(raw_))) {
    notifications_.push_back({.channel = each->relname, .payload = each->extra});
  }
}

// Takes what came between two runs and says whether the server is still there. It reads twice, as
// the first read may only bring the last message before the end of the stream.
bool connection::read_idle() {
  for (int i = 0; i < 2; ++i) {
    const bool alive = PQconsumeInput(raw_) == 1;
    collect_notifications();
    if (!alive) return false;
  }
  return true;
}

asio::awaitable<bool> connection::wait_notification(std::chrono::milliseconds at_most) {
  if (broken()) throw connection_lost("the connection was closed earlier", false);
  // A day is as good as for ever, and the sum cannot overflow.
  const auto patience = std::min<std::chrono::milliseconds>(at_most, std::chrono::hours(24));
  const auto deadline = clock::now() + patience;
  const auto ready = ready_;
  const auto current = wait_number_;
  const std::uint64_t mine = ++*current;
  for (;;) {
    if (!read_idle()) lose(reason(), false);
    if (!notifications_.empty()) co_return true;
    if (clock::now() >= deadline) co_return false;
    co_await ready->wait({.read = true}, deadline, readiness::cancellation::honoured);
    // Once interrupted, the connection may be in use by another coroutine, or gone: it must not be
    // touched.
    if (*current != mine) co_return false;
  }
}

void connection::interrupt_wait() {
  ++*wait_number_;
  ready_->wake();
}

std::vector<notification> connection::take_notifications() {
  return std::exchange(notifications_, {});
}

}  // namespace rowrunner::pg
