#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <exception>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "workloads/scoring/pipeline/channel.hpp"

namespace rowrunner::scoring {

/// Sends what many coroutines ask at the same time as one statement: those who ask while one is
/// under way gather for the next. Owned by a shared_ptr, because one that is under way goes on when
/// those who asked have left.
template <typename In, typename Out>
class gathered : public std::enable_shared_from_this<gathered<In, Out>> {
 public:
  /// As many answers as questions, in their order.
  using send_function = std::function<asio::awaitable<std::vector<Out>>(std::vector<In>)>;

  gathered(asio::any_io_executor executor, std::size_t most, send_function send)
      : executor_(std::move(executor)), most_(most), send_(std::move(send)) {}

  asio::awaitable<Out> ask(In item) {
    const auto mine = std::make_shared<entry>(executor_, std::move(item));
    waiting_.push_back(mine);
    if (!std::exchange(sending_, true)) {
      asio::co_spawn(executor_, send_all(this->shared_from_this()), asio::detached);
    }
    while (!mine->over) co_await mine->changed.wait();
    if (mine->failure) std::rethrow_exception(mine->failure);
    co_return std::move(mine->answer);
  }

 private:
  struct entry {
    entry(const asio::any_io_executor& executor, In what)
        : item(std::move(what)), changed(executor) {}
    In item;
    Out answer{};
    std::exception_ptr failure;
    bool over = false;
    wait_list changed;
  };
  using batch = std::vector<std::shared_ptr<entry>>;

  static asio::awaitable<void> send_all(std::shared_ptr<gathered> self) {
    while (!self->waiting_.empty()) {
      batch now = self->take();
      std::vector<In> items;
      for (const auto& each : now) items.push_back(std::move(each->item));
      std::vector<Out> answers;
      std::exception_ptr failure;
      try {
        answers = co_await self->send_(std::move(items));
      } catch (...) {
        failure = std::current_exception();
      }
      settle(now, answers, failure);
    }
    self->sending_ = false;
  }

  batch take() {
    batch now;
    if (waiting_.size() <= most_) return std::exchange(waiting_, {});
    const auto end = waiting_.begin() + static_cast<std::ptrdiff_t>(most_);
    now.assign(waiting_.begin(), end);
    waiting_.erase(waiting_.begin(), end);
    return now;
  }

  static void settle(const batch& now, std::vector<Out>& answers,
                     const std::exception_ptr& failure) {
    for (std::size_t i = 0; i < now.size(); ++i) {
      now[i]->failure = failure;
      if (!failure) now[i]->answer = std::move(answers.at(i));
      now[i]->over = true;
      now[i]->changed.wake_all();
    }
  }

  const asio::any_io_executor executor_;
  const std::size_t most_;
  const send_function send_;
  batch waiting_;
  bool sending_ = false;
};

}  // namespace rowrunner::scoring
