#include "workloads/pdf_batch/puller.hpp"

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/system/system_error.hpp>

#include "common/pg/error.hpp"
#include "workloads/pdf_batch/take_message.hpp"

namespace rowrunner::pdf_batch {
namespace {

using clock = std::chrono::steady_clock;

std::vector<std::string> ids_from(const std::vector<received_message>& batch, std::size_t first) {
  std::vector<std::string> out;
  for (std::size_t i = first; i < batch.size(); ++i) out.push_back(batch[i].ack_id);
  return out;
}

}  // namespace

puller::puller(const asio::any_io_executor& executor, subscription& from, pg::session& database,
               const logger& log, puller_options options)
    : from_(from), database_(database), log_(log), options_(options), stopped_(executor) {}

void puller::stop() {
  stopping_ = true;
  stopped_.set();
}

asio::awaitable<void> puller::run() {
  log_.info("pulling", {{"subscription", from_.path()}});
  while (!stopping_) {
    failed_ = false;
    auto batch = co_await pull();
    if (!batch.empty()) {
      co_await handle(std::move(batch));
    } else if (failed_) {
      if (!stopping_) co_await stopped_.wait_for(options_.pause);
    } else if (options_.drain) {
      break;
    }
  }
  log_.info("stopped");
}

/// Ends early if it is told to stop. What Pub/Sub was about to send is delivered again then.
asio::awaitable<std::vector<received_message>> puller::pull() {
  using namespace asio::experimental::awaitable_operators;
  std::vector<received_message> out;
  std::string failure;
  const auto ask = [&]() -> asio::awaitable<void> {
    try {
      out = co_await from_.pull(options_.messages_at_a_time);
    } catch (const pubsub_error& error) {
      failure = error.what();
    } catch (const boost::system::system_error&) {
    }
  };
  co_await (ask() || stopped_.wait_for(std::chrono::hours(1)));
  if (!failure.empty()) {
    failed_ = true;
    log_.error("Pub/Sub does not answer", {{"error", failure}});
  }
  extended_ = {};
  co_return out;
}

asio::awaitable<void> puller::handle(std::vector<received_message> batch) {
  // The subscription may have a deadline of 10 seconds.
  co_await extend(ids_from(batch, 0));
  std::size_t next = 0;
  for (; next < batch.size(); ++next) {
    const bool done = co_await commit(batch, next);
    if (!done) break;
    committed_.push_back(batch[next].ack_id);
  }
  co_await acknowledge();
  auto rest = ids_from(batch, next);
  if (!rest.empty()) co_await tell(std::move(rest), false);
}

/// False if it was told to stop before the message was committed.
asio::awaitable<bool> puller::commit(const std::vector<received_message>& batch,
                                     std::size_t which) {
  const auto& one = batch[which];
  pg::backoff pause;
  for (;;) {
    std::string failure;
    try {
      co_await take_message(database_, log_, "pull", one.message);
      co_return true;
    } catch (const pg::error& error) {
      failure = error.what();
    }
    log_.warn("the database does not take a message; it is kept",
              {{"message_id", one.message.id}, {"error", failure}});
    // Those that are committed do not wait for this one.
    co_await acknowledge();
    if (stopping_) co_return false;
    co_await extend(ids_from(batch, which));
    co_await stopped_.wait_for(pause.next(random_));
    if (stopping_) co_return false;
  }
}

asio::awaitable<void> puller::extend(std::vector<std::string> held) {
  const auto now = clock::now();
  if (extended_ != clock::time_point{} && now < extended_ + options_.extend_every) co_return;
  extended_ = now;
  try {
    co_await from_.set_deadline(std::move(held), subscription::deadline);
  } catch (const pubsub_error& error) {
    log_.warn("the deadline of messages was not extended", {{"error", error.what()}});
  }
}

asio::awaitable<void> puller::acknowledge() {
  auto done = std::exchange(committed_, {});
  if (!done.empty()) co_await tell(std::move(done), true);
}

/// A message whose acknowledgement is lost comes again, and is the same job.
asio::awaitable<void> puller::tell(std::vector<std::string> ack_ids, bool done) {
  try {
    if (done) {
      co_await from_.acknowledge(std::move(ack_ids));
    } else {
      co_await from_.set_deadline(std::move(ack_ids), std::chrono::seconds(0));
    }
  } catch (const pubsub_error& error) {
    log_.warn(done ? "messages were not acknowledged" : "messages were not given back",
              {{"error", error.what()}});
  }
}

}  // namespace rowrunner::pdf_batch
