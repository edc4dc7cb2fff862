#pragma once

#include <algorithm>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <deque>
#include <list>
#include <optional>
#include <utility>

namespace rowrunner::scoring {

namespace asio = boost::asio;

/// Coroutines of one thread that wait for something to change. If one of them is cancelled, its
/// next co_await throws.
class wait_list {
 public:
  using time_point = asio::steady_timer::time_point;

  explicit wait_list(asio::any_io_executor executor) : executor_(std::move(executor)) {}
  wait_list(const wait_list&) = delete;
  wait_list& operator=(const wait_list&) = delete;

  asio::awaitable<void> wait(time_point until = time_point::max()) {
    entry mine(*this, until);
    co_await mine.timer.async_wait(asio::as_tuple(asio::use_awaitable));
  }
  void wake_one() {
    if (waiting_.empty()) return;
    entry* const first = waiting_.front();
    first->leave();
    first->timer.cancel();
  }
  void wake_all() {
    while (!waiting_.empty()) wake_one();
  }

 private:
  struct entry {
    entry(wait_list& of, time_point until) : list(of), timer(of.executor_, until) {
      where = list.waiting_.insert(list.waiting_.end(), this);
    }
    ~entry() { leave(); }
    entry(const entry&) = delete;
    entry& operator=(const entry&) = delete;

    void leave() {
      if (std::exchange(listed, false)) list.waiting_.erase(where);
    }

    wait_list& list;
    asio::steady_timer timer;
    std::list<entry*>::iterator where;
    bool listed = true;
  };

  const asio::any_io_executor executor_;
  std::list<entry*> waiting_;
};

/// A queue between coroutines of one thread, with a bound that makes those who add wait.
template <typename T>
class channel {
 public:
  using time_point = wait_list::time_point;

  channel(const asio::any_io_executor& executor, std::size_t bound)
      : bound_(bound), not_full_(executor), not_empty_(executor) {}

  /// Waits while it is full.
  asio::awaitable<void> push(T item) {
    while (items_.size() >= bound_) co_await not_full_.wait();
    put(std::move(item));
  }

  /// To the end, beyond the bound: for those who count their items themselves.
  void put(T item) {
    items_.push_back(std::move(item));
    most_ = std::max(most_, items_.size());
    not_empty_.wake_one();
  }

  /// Nothing if it is closed and empty, or when the time is over.
  asio::awaitable<std::optional<T>> pop(time_point until = time_point::max()) {
    while (items_.empty() && !closed_) {
      if (asio::steady_timer::clock_type::now() >= until) co_return std::nullopt;
      co_await not_empty_.wait(until);
    }
    if (items_.empty()) co_return std::nullopt;
    T item = std::move(items_.front());
    items_.pop_front();
    not_full_.wake_one();
    co_return item;
  }

  /// Nothing comes any more; what is in it is still handed out.
  void close() {
    closed_ = true;
    not_empty_.wake_all();
  }

  bool closed() const noexcept { return closed_; }
  bool drained() const noexcept { return closed_ && items_.empty(); }
  std::size_t size() const noexcept { return items_.size(); }
  /// The most items that it has had at a time.
  std::size_t most() const noexcept { return most_; }

 private:
  const std::size_t bound_;
  std::deque<T> items_;
  std::size_t most_ = 0;
  bool closed_ = false;
  wait_list not_full_;
  wait_list not_empty_;
};

}  // namespace rowrunner::scoring
