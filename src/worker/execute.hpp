#pragma once

#include <boost/asio/io_context.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "worker/blocking_pool.hpp"
#include "worker/changes.hpp"
#include "worker/finish.hpp"
#include "worker/lane.hpp"

namespace rowrunner {

/// Runs handlers: the life of a job between its claim and its verdict, which goes to the finisher.
class executor {
 public:
  /// A handler that was told to stop and has not ended after this is abandoned, with its threads.
  static constexpr std::chrono::milliseconds patience{1000};

  executor(std::shared_ptr<boost::asio::io_context> io, blocking_pool& pool, finisher& finish,
           const lane_list& lanes, changes& changed)
      : io_(std::move(io)), pool_(pool), finish_(finish), lanes_(lanes), changed_(changed) {}

  /// The jobs of a claim that took `claimed` of them; there are none if its lease was lost since.
  /// They start as slots become free.
  void submit(lane& lane, std::vector<job_ptr> jobs, int claimed);
  /// Those that wait behind longer jobs go back to the queue, where other workers may be idle.
  void release_stuck(lane& lane);
  /// Nothing more is started; what waits for a slot is released.
  void close();
  bool idle() const;

  /// Tells the job to stop: its coroutine is cancelled, its stop token set. Only the first reason
  /// counts, except that a lost lease always does.
  void stop(const job_ptr& job, stop_reason reason, std::string note);
  void stop_all(stop_reason reason, const std::string& note);
  void cancel(std::int64_t lease, std::string_view id, std::string note);
  /// A write of the job was fenced: its lease is lost.
  void reject(const job_ptr& job);
  /// The lease is lost, and with it all that runs or waits under it.
  void lose(std::int64_t lease, const std::string& why);

 private:
  void start_waiting(lane& lane);
  void release_waiting(lane& lane);
  void start(const job_ptr& job);
  void start_coroutine(const job_ptr& job);
  void start_blocking(const job_ptr& job);
  void watch_time(const job_ptr& job);
  void abandon_later(const job_ptr& job);
  void run_ended(const job_ptr& job, std::optional<outcome> returned, std::string error);

  std::shared_ptr<boost::asio::io_context> io_;
  blocking_pool& pool_;
  finisher& finish_;
  const lane_list& lanes_;
  changes& changed_;
  /// The lane whose jobs are being started.
  const lane* starting_ = nullptr;
  bool closed_ = false;
};

}  // namespace rowrunner
