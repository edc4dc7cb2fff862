#include "workloads/scoring/pipeline/call_gate.hpp"

namespace rowrunner::scoring {

namespace {

constexpr std::chrono::seconds dead_time{30};

}  // namespace

asio::awaitable<call_gate::pass> call_gate::enter() {
  for (auto now = clock::now(); !controller_.may_start(now); now = clock::now()) {
    const bool blocked = now < controller_.blocked_until();
    co_await changed_.wait(blocked ? controller_.blocked_until() : clock::time_point::max());
  }
  controller_.start();
  const auto now = clock::now();
  // After a pause all who wait may start, and only one of them is woken by the clock.
  if (controller_.may_start(now)) changed_.wake_one();
  co_return pass(*this);
}

void call_gate::leave() {
  controller_.end();
  changed_.wake_one();
}

std::optional<std::string> call_gate::dead_reason(clock::time_point now) const {
  if (now >= dead_until_) return std::nullopt;
  return dead_reason_;
}

void call_gate::learn(const pass& of, const reply& answer) {
  if (answer.kind == reply_kind::key_dead) {
    dead_reason_ = answer.text;
    dead_until_ = clock::now() + dead_time;
  }
  if (answer.kind == reply_kind::busy) {
    const double random = std::uniform_real_distribution<>(0, 1)(random_);
    const auto pause = answer.after.value_or(busy_pause(busy_in_a_row_, random));
    ++busy_in_a_row_;
    controller_.reduce(of.sent(), clock::now(), pause);
  } else if (answer.kind == reply_kind::answered) {
    busy_in_a_row_ = 0;
    const int before = controller_.limit();
    controller_.succeeded();
    if (controller_.limit() > before) changed_.wake_one();
  }
}

}  // namespace rowrunner::scoring
