#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>

#include "workloads/limits/controller.hpp"
#include "workloads/limits/facts.hpp"
#include "workloads/limits/plan.hpp"
#include "workloads/limits/slots.hpp"

namespace rowrunner::limits {

/// One key in one process: what the plan lets it send, what is under way, what came back. Decides
/// without I/O; all times are the database's.
class gate {
 public:
  gate(std::string replica, const quota& known);

  /// A call may start now, or not. The ticket is for answer().
  std::optional<std::int64_t> take(instant now, std::int64_t tokens);
  /// When take() may succeed if nothing else happens; nothing if that is not known.
  std::optional<instant> next_chance(instant now) const;
  /// Nothing for a ticket that was answered before. Otherwise the time of the call.
  void answer(std::int64_t ticket, const answer_facts& facts, instant now);

  void set_waiting(int callers) { waiting_ = callers; }
  int waiting() const { return waiting_; }
  int in_flight() const { return static_cast<int>(under_way_.size()); }
  int concurrency(instant now) const;

  void adopt(const plan& newer);
  bool has_plan(epoch at) const { return plans_.contains(at); }
  double rate() const { return rate_; }

  /// Nothing is sent until then.
  void block(instant until);
  instant blocked_until() const { return blocked_until_; }
  /// A block that an answer asked for and that is not yet stored.
  std::optional<instant> block_to_store() const { return to_store_; }
  void stored(instant until);

  member_report report(instant now) const;
  /// When a call last asked or was answered.
  instant last_use() const { return last_use_; }
  /// Why calls wait, for people; empty if none waits.
  std::string why(instant now) const;

 private:
  struct call {
    epoch at;
    instant sent;
    std::int64_t tokens;
  };
  struct own_part {
    slots mine;
    std::optional<int> concurrency;
    bool present = false;
    /// The first epoch under the newest cut that the plan knows of.
    epoch cut = 0;
    int used = 0;
  };
  struct seen_headers {
    epoch at;
    header_sums requests;
    header_sums tokens;
  };

  /// How many slots of an epoch may be used in all.
  int usable(epoch at, const own_part& part) const;
  epoch_counts& counts_of(epoch at);
  void learn_headers(const answer_facts& facts, instant now);
  double tokens_per_call() const;

  const std::string replica_;
  controller controller_;
  std::map<std::int64_t, call> under_way_;
  std::int64_t next_ticket_ = 1;
  int waiting_ = 0;
  std::map<epoch, own_part> plans_;
  double rate_ = 0;
  instant blocked_until_{0};
  std::optional<instant> to_store_;
  instant last_use_{0};
  /// The newest epoch of which a call was rejected.
  epoch rejected_ = -10;
  std::deque<epoch_counts> counts_;
  /// Calls that ended, by epoch.
  std::map<epoch, int> ended_;
  std::deque<seen_headers> headers_;
  double mean_tokens_ = 0;
};

}  // namespace rowrunner::limits
