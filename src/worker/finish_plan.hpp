#pragma once

#include <chrono>
#include <optional>
#include <string_view>
#include <vector>

#include "worker/end_retries.hpp"
#include "worker/verdict.hpp"

namespace rowrunner {

/// How an attempt to write a batch ended. Uncertain: it was written, but for some of it did not
/// count, and an earlier write of these, whose answer was lost, may have. Unreachable: it may have
/// been written all the same.
enum class write_attempt { written, uncertain, refused, unreachable };
write_attempt failed_attempt(std::string_view sqlstate);

/// What to do with a batch next. A write whose answer was lost is never simply repeated: after a
/// pause, the jobs are read again, and those that are still open are written again.
enum class write_step { write, reread, retry_later, done };
write_step after_write(write_attempt ended);
/// `answered`: all of the batch could be read; so many of its jobs are still open.
write_step after_reread(bool answered, std::size_t open);

/// The verdicts that wait to be written. It decides and does nothing: when to write, and what
/// together.
class finish_plan {
 public:
  using clock = std::chrono::steady_clock;
  using batch = std::vector<verdict>;

  static constexpr std::size_t largest_batch = 2000;
  /// A transaction costs the server about as much as the ends of so many jobs.
  static constexpr std::size_t small_batch = 100;
  /// How long a small batch waits for others if jobs are about to be run.
  static constexpr std::chrono::microseconds longest_gathering{2'000};

  void add(verdict v) { waiting_.push_back(std::move(v)); }
  /// No more will come: what was refused is due at once.
  void close();

  /// Verdicts that are not written yet.
  std::size_t pending() const { return waiting_.size() + in_flight_ + retries_.size(); }
  bool ended() const { return closed_ && pending() == 0; }
  /// How long to wait for a verdict; nothing: there is something to write.
  std::optional<clock::duration> wait(clock::time_point now) const;
  /// Whether new verdicts, of which the first was found at `since`, wait for others.
  bool gathers(bool jobs_to_start, clock::time_point since, clock::time_point now) const;

  /// New verdicts, as batches that take a transaction each: those with effects take another one.
  /// Those of a kind that is in trouble do not hold up the others: they are put behind what was
  /// refused before.
  std::vector<batch> take_new(clock::time_point now);
  /// What was refused before and is due.
  std::vector<batch> take_refused(clock::time_point now);
  /// So many of the verdicts that were taken are written, put behind or dropped.
  void put_down(std::size_t verdicts) { in_flight_ -= verdicts; }

  void written(const batch& together) { retries_.written(together); }
  /// Gives those that are dropped.
  batch refused(batch together, const end_refusal& why, clock::time_point now) {
    return retries_.refused(std::move(together), why, now);
  }

 private:
  std::vector<batch> taken(std::vector<batch> batches);

  batch waiting_;
  end_retries retries_;
  std::size_t in_flight_ = 0;
  bool closed_ = false;
};

}  // namespace rowrunner
