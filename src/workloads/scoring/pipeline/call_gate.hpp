#pragma once

#include <boost/asio/awaitable.hpp>
#include <random>
#include <string>

#include "workloads/scoring/models/model.hpp"
#include "workloads/scoring/pipeline/channel.hpp"
#include "workloads/scoring/pipeline/concurrency_controller.hpp"

namespace rowrunner::scoring {

/// Where all calls of this process to one model pass: performs what the controller decides.
class call_gate {
 public:
  using clock = std::chrono::steady_clock;

  call_gate(const asio::any_io_executor& executor, int concurrency)
      : controller_(concurrency), changed_(executor) {}

  /// Holds a place among the calls that are under way.
  class pass {
   public:
    explicit pass(call_gate& of) : gate_(&of) {}
    pass(pass&& other) noexcept : gate_(std::exchange(other.gate_, nullptr)), sent_(other.sent_) {}
    pass& operator=(pass&&) = delete;
    ~pass() {
      if (gate_ != nullptr) gate_->leave();
    }
    /// After the pass was given, a call may still wait for its budget and for the shared limit.
    void mark_sent(clock::time_point when) noexcept { sent_ = when; }
    clock::time_point sent() const noexcept { return sent_; }

   private:
    call_gate* gate_;
    clock::time_point sent_{};
  };

  void raise_to(int concurrency) { controller_.raise_to(concurrency); }

  asio::awaitable<pass> enter();
  /// Why no call can succeed now; nothing if that is not known. A key that was refused is asked
  /// again after half a minute: it may have been paid for meanwhile.
  std::optional<std::string> dead_reason(clock::time_point now) const;

  /// Before the pass is given up.
  void learn(const pass& of, const reply& answer);

  const concurrency_controller& controller() const noexcept { return controller_; }

 private:
  void leave();

  concurrency_controller controller_;
  wait_list changed_;
  int busy_in_a_row_ = 0;
  std::string dead_reason_;
  clock::time_point dead_until_{};
  std::mt19937 random_{std::random_device{}()};
};

}  // namespace rowrunner::scoring
