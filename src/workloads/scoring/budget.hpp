#pragma once

#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <memory>
#include <rowrunner/services.hpp>
#include <string>

#include "workloads/scoring/gathered.hpp"
#include "workloads/scoring/pipeline/channel.hpp"

namespace rowrunner::scoring {

/// The budget of one run, shared by all workers: a call is reserved with the most that it can cost
/// before it is made, and settled with what it did cost. What is spent never exceeds the limit.
class budget : public std::enable_shared_from_this<budget> {
 public:
  budget(services& engine, const std::string& run_id);

  /// A call that is under way. One that is never settled, as its coroutine was cancelled, stays
  /// spent if it was sent: it may have been paid for.
  class reservation {
   public:
    reservation() = default;
    reservation(std::shared_ptr<budget> of, double at_most) : of_(std::move(of)), cost_(at_most) {}
    reservation(reservation&& other) noexcept = default;
    reservation& operator=(reservation&& other) noexcept = default;
    ~reservation();

    explicit operator bool() const noexcept { return of_ != nullptr; }
    void mark_sent() noexcept { sent_ = true; }
    /// `used` calls (0 or 1), and their cost.
    asio::awaitable<void> settle(int used, double cost);

   private:
    std::shared_ptr<budget> of_;
    double cost_ = 0;
    bool sent_ = false;
  };

  /// `later`: there is no room, but calls of a worker are under way, which may cost less than was
  /// reserved.
  enum class room { granted, later, none };

  /// What was granted is kept by `reserved`.
  asio::awaitable<room> reserve(double at_most);
  /// Until something may have been given back.
  asio::awaitable<void> change_of_room();
  /// A coroutine that returned it would be miscompiled by g++ 12: its frame is not where its handle
  /// says.
  reservation reserved(double at_most);

 private:
  struct change {
    int calls = 0;
    double cost = 0;
  };

  struct ended_call;

  void call_ended();
  static asio::awaitable<void> renew(std::shared_ptr<budget> self);
  static asio::awaitable<void> settle(std::shared_ptr<budget> self, change back);

  services& engine_;
  const std::string run_id_;
  int under_way_ = 0;
  bool renewing_ = false;
  wait_list settled_;
  std::shared_ptr<gathered<double, room>> reservations_;
  std::shared_ptr<gathered<change, bool>> settlements_;
};

}  // namespace rowrunner::scoring
