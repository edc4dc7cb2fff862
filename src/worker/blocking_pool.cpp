#include "worker/blocking_pool.hpp"

#include <algorithm>
#include <vector>

namespace rowrunner {

/// Outlives the pool as long as a thread that was abandoned still uses it.
struct blocking_pool::shared {
  mutable std::mutex lock;
  std::condition_variable changed;
  std::deque<std::pair<task_id, std::function<void()>>> waiting;
  std::set<task_id> running;
  std::set<task_id> abandoned;
  std::size_t max_threads;
  std::size_t threads = 0;  // without those that hang
  std::size_t idle = 0;
  task_id last = 0;
  bool closed = false;
};

blocking_pool::blocking_pool(std::size_t max_threads) : state_(std::make_shared<shared>()) {
  state_->max_threads = std::max<std::size_t>(1, max_threads);
}

blocking_pool::~blocking_pool() {
  std::unique_lock hold(state_->lock);
  state_->closed = true;
  state_->waiting.clear();
  state_->changed.notify_all();
  state_->changed.wait(hold, [this] { return state_->threads == 0; });
}

blocking_pool::task_id blocking_pool::post(std::function<void()> work) {
  const std::lock_guard hold(state_->lock);
  const task_id task = ++state_->last;
  state_->waiting.emplace_back(task, std::move(work));
  if (state_->idle >= state_->waiting.size() || state_->threads >= state_->max_threads) {
    state_->changed.notify_one();
  } else {
    ++state_->threads;
    std::thread(serve, state_).detach();
  }
  return task;
}

void blocking_pool::abandon(task_id task) {
  const std::lock_guard hold(state_->lock);
  const auto queued = std::find_if(state_->waiting.begin(), state_->waiting.end(),
                                   [&](const auto& entry) { return entry.first == task; });
  if (queued != state_->waiting.end()) {
    state_->waiting.erase(queued);
  } else if (state_->running.contains(task) && state_->abandoned.insert(task).second) {
    --state_->threads;
    if (!state_->waiting.empty() && state_->threads < state_->max_threads) {
      ++state_->threads;
      std::thread(serve, state_).detach();
    }
    state_->changed.notify_all();
  }
}

void blocking_pool::abandon_all() {
  const std::lock_guard hold(state_->lock);
  state_->waiting.clear();
  for (const auto task : state_->running) {
    if (state_->abandoned.insert(task).second) --state_->threads;
  }
  state_->changed.notify_all();
}

std::size_t blocking_pool::hung() const {
  const std::lock_guard hold(state_->lock);
  return state_->abandoned.size();
}

void blocking_pool::serve(const std::shared_ptr<shared>& state) {
  std::unique_lock hold(state->lock);
  for (;;) {
    ++state->idle;
    state->changed.wait(hold, [&] { return state->closed || !state->waiting.empty(); });
    --state->idle;
    if (state->closed) break;
    auto [task, work] = std::move(state->waiting.front());
    state->waiting.pop_front();
    state->running.insert(task);
    hold.unlock();
    work();
    work = nullptr;  // what it holds is destroyed outside of the lock
    hold.lock();
    state->running.erase(task);
    // Another thread has replaced this one already.
    if (state->abandoned.erase(task) > 0) return;
  }
  --state->threads;
  state->changed.notify_all();
}

}  // namespace rowrunner
