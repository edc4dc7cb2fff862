#pragma once

#include <chrono>
#include <deque>
#include <exception>
#include <memory>
#include <rowrunner/outcome.hpp>
#include <string>
#include <vector>

#include "common/event.hpp"
#include "worker/running_job.hpp"

namespace rowrunner {

/// A step that is to be stored, shared by the handler that waits for it and the writer.
struct pending_step {
  enum class answer { none, stored, exists, lease_lost, refused };

  pending_step(const boost::asio::any_io_executor& executor, job_ptr of, std::string step,
               step_result what)
      : job(std::move(of)), name(std::move(step)), given(std::move(what)), changed(executor) {}

  void answer_with(answer how) {
    answered = how;
    changed.set();
  }

  const job_ptr job;
  const std::string name;
  step_result given;

  event changed;
  answer answered = answer::none;
  /// Why it was refused.
  std::string reason;
  /// The handler no longer waits: it need not be sent if it has not been.
  bool abandoned = false;

  // Owned by the queue.
  std::chrono::steady_clock::time_point due{};
  int tries = 0;
};

using step_ptr = std::shared_ptr<pending_step>;

/// The steps that wait to be stored. It decides and does nothing: which are written together, and
/// what becomes of those that the database refuses. Results become text only in the batch that is
/// being written, so that a slow database costs no memory beyond what the waiting handlers hold.
class step_queue {
 public:
  using clock = std::chrono::steady_clock;
  using batch = std::vector<step_ptr>;

  static constexpr std::size_t largest_batch = 500;

  void add(step_ptr step);
  /// What is to be written now, at most two batches: new steps, and a part of what was refused.
  std::vector<batch> due(clock::time_point now);
  clock::time_point next_due() const;

  /// These were not written, and may be as they are, after `pause`.
  void again(const batch& together, clock::time_point now, clock::duration pause);
  /// A batch that was refused is split, so that one step does not fail the others. A single step is
  /// tried again if that may help, and else refused with the reason.
  void refused(const batch& together, bool for_good, const std::string& reason,
               clock::time_point now);

 private:
  batch take_new(clock::time_point now);

  std::deque<step_ptr> waiting_;
  std::deque<batch> parts_;
};

}  // namespace rowrunner
