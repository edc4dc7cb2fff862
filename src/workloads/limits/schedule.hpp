#pragma once

#include <deque>

#include "workloads/limits/moment.hpp"

namespace rowrunner::limits {

/// When a process talks to the database about its keys: it reports, a little later reads the plan
/// of the next second, and proposes one if there is none. Now and then it cleans up. At most three
/// statements a second.
class schedule {
 public:
  static constexpr std::size_t statements_a_second = 3;

  /// `phase` (0 to 1) is the process's own, so that not all come at the same moment. It moves from
  /// second to second, so that not always the same one makes the plan.
  explicit schedule(double phase) : phase_(phase) {}

  enum class what { wait, report, read, propose, clean_up };
  struct action {
    what todo = what::wait;
    /// Of wait: until when.
    instant until{0};
    /// Of read and propose.
    epoch target = 0;
  };

  struct view {
    instant now{0};
    /// All keys in use have a plan for this second, and for the next one.
    bool has_current = false;
    bool has_next = false;
    /// A block or a new key is to be told at once.
    bool urgent = false;
  };
  action next(const view& seen) const;

  /// A statement is sent.
  void begun(const action& chosen, instant now);
  /// It failed: not at once again.
  void failed(instant now);

 private:
  action wanted(const view& seen) const;
  instant earliest(instant now) const;
  double phase_in(epoch at) const;
  action plan_for(epoch at) const;

  const double phase_;
  std::deque<instant> recent_;
  instant reported_{-10'000'000};
  /// The plan that was read last: if it is still missing, it is proposed.
  epoch read_ = 0;
  instant not_before_{0};
  instant cleaned_{0};
};

}  // namespace rowrunner::limits
