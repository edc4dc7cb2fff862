#pragma once

#include <algorithm>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "common/event.hpp"
#include "common/pg/session.hpp"

namespace rowrunner::api {

struct services;

/// How many jobs one transaction takes: fewer after a failure that one of them may have caused.
class batch_size {
 public:
  static constexpr int most = 200;

  int now() const { return size_; }
  bool is_least() const { return size_ == 1; }
  void succeeded() { size_ = std::min(size_ * 2, most); }
  void failed() { size_ = std::max(size_ / 2, 1); }

 private:
  int size_ = most;
};

/// What became of one transaction of an operation.
enum class batch_result {
  nothing,  ///< It has ended, or another server is at it.
  more,
  done,
};

/// What to do about a transaction that the database refused.
enum class batch_remedy {
  give_up,     ///< Nothing of this operation can succeed.
  take_fewer,  ///< One of the jobs may be the cause.
  pass_over,   ///< The job is the cause: it is locked, or cannot be queued again.
  wait,        ///< The same may succeed later.
};
batch_remedy remedy_of(std::string_view sqlstate, bool single_job);

/// Requeues the next jobs of an operation, with the note of how far it is, in one transaction.
/// `pass_over`: only notes them. When none is left it starts once more from the oldest: a failure
/// has the time at which its transaction began, so one that was committed late may be behind those
/// that were dealt with.
boost::asio::awaitable<batch_result> run_batch(pg::session& session, std::int64_t operation,
                                               int jobs, bool pass_over);

/// Carries out the operations that any server was asked for. Every server does so; a row lock
/// decides who takes the next batch.
class operation_runner {
 public:
  explicit operation_runner(const boost::asio::any_io_executor& executor)
      : executor_(executor), added_(executor) {}

  /// For ever.
  boost::asio::awaitable<void> run(services& with);

  /// There is a new one.
  void wake() { added_.set(); }

 private:
  boost::asio::awaitable<bool> work_once(services& with);
  boost::asio::awaitable<bool> take_batch(services& with, std::int64_t operation);

  const boost::asio::any_io_executor executor_;
  event added_;
  batch_size size_;
};

}  // namespace rowrunner::api
