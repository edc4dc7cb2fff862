#pragma once

#include <chrono>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "worker/verdict.hpp"

namespace rowrunner {

/// Why the database did not write outcomes.
struct end_refusal {
  std::string sqlstate;
  /// The statement that failed, by its name in db/queries; effects have none.
  std::string statement;
  std::string text;
};

/// The pause before an outcome that was refused alone is tried again; nothing: it is dropped.
///
/// A lock of another session is waited for as long as it is held. What else may pass is tried again
/// as it is, then as a failed attempt, then as a final failure, since a table may refuse one status
/// and take another. An effect that the database refuses fails the attempt at once. A last report
/// that it refuses is dropped, and the outcome is written without it.
std::optional<std::chrono::milliseconds> after_refusal(verdict& v, const end_refusal& why);

/// Whether the last report of the job's progress is to blame, and dropped for it. A lock is not:
/// it may be on the job's own row.
bool drops_progress(const verdict& v, const end_refusal& why);

/// Outcomes that the database refused to write. It decides and does nothing: what is tried when,
/// and together with what. A batch is split by kind and then in halves, so that one bad row costs
/// its batch a logarithmic number of transactions; an outcome that is refused alone waits longer
/// each time; and a kind of which nothing at all can be written is left alone for a while, so that
/// it does not delay the others.
class end_retries {
 public:
  using clock = std::chrono::steady_clock;
  using batch = std::vector<verdict>;

  static constexpr int failures_before_rest = 24;
  static constexpr std::chrono::seconds rest{1};

  /// New outcomes of a kind that is in trouble.
  void add(batch fresh, clock::time_point now);
  /// These were refused together. Gives those that are dropped.
  batch refused(batch together, const end_refusal& why, clock::time_point now);
  /// These could be written.
  void written(const batch& together);

  /// What is to be tried now: at most one batch, and one outcome that was refused alone.
  std::vector<batch> due(clock::time_point now);
  /// When there will be something, at the earliest.
  clock::time_point next_due() const;
  /// Everything is due now.
  void hurry();

  /// Some of its outcomes are here.
  bool in_trouble(const lane* lane) const;
  std::size_t size() const { return size_; }

 private:
  struct part {
    batch verdicts;
    clock::time_point due;
  };
  struct trouble {
    std::size_t waiting = 0;
    int failures = 0;
    clock::time_point rests_until{};
  };

  clock::time_point due_at(const part& one) const;
  void put(std::deque<part>& where, batch verdicts, clock::time_point due);
  void failed(const lane* lane, clock::time_point now);

  /// Batches, and halves of batches that were refused.
  std::deque<part> together_;
  std::deque<part> alone_;
  std::map<const lane*, trouble> lanes_;
  std::size_t size_ = 0;
};

}  // namespace rowrunner
