#pragma once

#include <map>
#include <optional>
#include <utility>

#include "workloads/scoring/pipeline/channel.hpp"

namespace rowrunner::scoring {

/// A queue between coroutines of one thread, of items that come out when their time has come, the
/// earliest first. It has no bound: those who add count their items themselves.
template <typename T>
class delayed_queue {
 public:
  using time_point = wait_list::time_point;

  explicit delayed_queue(const asio::any_io_executor& executor) : changed_(executor) {}

  void put(T item, time_point due) {
    items_.emplace(due, std::move(item));
    changed_.wake_one();
  }

  /// Nothing if it is closed and empty. For one coroutine.
  asio::awaitable<std::optional<T>> pop() {
    for (;;) {
      const bool ready = !items_.empty() && (hurried_ || items_.begin()->first <= now());
      if (ready) {
        T item = std::move(items_.begin()->second);
        items_.erase(items_.begin());
        co_return item;
      }
      if (items_.empty() && closed_) co_return std::nullopt;
      co_await changed_.wait(items_.empty() ? time_point::max() : items_.begin()->first);
    }
  }

  /// From now on no item waits for its time.
  void hurry() {
    hurried_ = true;
    changed_.wake_all();
  }
  void close() {
    closed_ = true;
    changed_.wake_all();
  }
  std::size_t size() const noexcept { return items_.size(); }

 private:
  static time_point now() { return asio::steady_timer::clock_type::now(); }

  std::multimap<time_point, T> items_;
  bool hurried_ = false;
  bool closed_ = false;
  wait_list changed_;
};

}  // namespace rowrunner::scoring
