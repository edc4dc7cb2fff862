#pragma once

#include <chrono>
#include <memory>
#include <random>

#include "common/event.hpp"
#include "common/log.hpp"
#include "common/pg/backoff.hpp"
#include "common/pg/session.hpp"
#include "workloads/pdf_batch/subscription.hpp"

namespace rowrunner::pdf_batch {

struct puller_options {
  /// Return when nothing waits.
  bool drain = false;
  int messages_at_a_time = 10;
  /// While the database is away, the deadline of messages is set anew that often.
  std::chrono::milliseconds extend_every{300'000};
  /// After Pub/Sub gave an error.
  std::chrono::milliseconds pause{5'000};
};

/// Takes messages of a subscription and makes jobs of them. A message is acknowledged when its job
/// is committed, and not before; what it has not committed when it stops is given back.
class puller {
 public:
  /// All of these must live longer.
  puller(const asio::any_io_executor& executor, subscription& from, pg::session& database,
         const logger& log, puller_options options);

  /// Until stop(), or with `drain` until nothing waits.
  asio::awaitable<void> run();
  /// From the thread that runs it.
  void stop();

 private:
  asio::awaitable<std::vector<received_message>> pull();
  asio::awaitable<void> handle(std::vector<received_message> batch);
  asio::awaitable<bool> commit(const std::vector<received_message>& batch, std::size_t which);
  asio::awaitable<void> extend(std::vector<std::string> held);
  asio::awaitable<void> acknowledge();
  asio::awaitable<void> tell(std::vector<std::string> ack_ids, bool done);

  subscription& from_;
  pg::session& database_;
  const logger& log_;
  const puller_options options_;
  event stopped_;
  bool stopping_ = false;
  bool failed_ = false;
  /// To be acknowledged.
  std::vector<std::string> committed_;
  std::chrono::steady_clock::time_point extended_{};
  std::mt19937_64 random_{std::random_device{}()};
};

}  // namespace rowrunner::pdf_batch
