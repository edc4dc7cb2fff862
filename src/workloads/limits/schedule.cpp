#include "workloads/limits/schedule.hpp"

#include <algorithm>
#include <cmath>

namespace rowrunner::limits {
namespace {

using namespace std::chrono_literals;

// Of a second: reports come first, so that the plan of the next second knows of what was rejected
// in most of this one; the first reader makes the plan, the others find it.
constexpr double report_at = 0.60;
constexpr double report_spread = 0.08;
constexpr double read_at = 0.78;
constexpr double read_spread = 0.12;
constexpr instant after_failure = 250ms;
constexpr instant between_cleanings = 2min;
constexpr instant clock_error = 20ms;

}  // namespace

schedule::action schedule::next(const view& seen) const {
  const auto chosen = wanted(seen);
  const auto when = earliest(seen.now);
  if (chosen.todo != what::wait && seen.now < when) return {what::wait, when, 0};
  return chosen;
}

/// Seconds that are full are waited for; and those at the end of one and at the beginning of the
/// next are kept apart, with room for timers that are late.
instant schedule::earliest(instant now) const {
  auto when = not_before_;
  if (recent_.size() < statements_a_second) return when;
  const auto third = recent_[recent_.size() - statements_a_second];
  if (epoch_of(third) == epoch_of(now)) {
    when = std::max(when, start_of(epoch_of(now) + 1) + clock_error);
  }
  return std::max(when, third + 800ms);
}

double schedule::phase_in(epoch at) const {
  constexpr double golden = 0.618033988749895;
  const double moved = phase_ + golden * static_cast<double>(at % 1'000);
  return moved - std::floor(moved);
}

schedule::action schedule::wanted(const view& seen) const {
  const auto now = seen.now;
  const auto at = epoch_of(now);
  const double phase = phase_in(at);
  const auto report_due = start_of(at) + seconds_from(report_at + report_spread * phase);
  const auto read_due = start_of(at) + seconds_from(read_at + read_spread * phase);
  if (seen.urgent) return {what::report, {}, 0};
  if (!seen.has_current) {
    if (now - reported_ > 1s) return {what::report, {}, 0};
    return plan_for(at);
  }
  if (reported_ < start_of(at) + seconds_from(report_at / 2)) {
    return now < report_due ? action{what::wait, report_due, 0} : action{what::report, {}, 0};
  }
  if (!seen.has_next) {
    return now < read_due ? action{what::wait, read_due, 0} : plan_for(at + 1);
  }
  if (cleaned_.count() > 0 && now - cleaned_ > between_cleanings) return {what::clean_up, {}, 0};
  return {what::wait, start_of(at + 1), 0};
}

schedule::action schedule::plan_for(epoch at) const {
  return {read_ == at ? what::propose : what::read, {}, at};
}

void schedule::begun(const action& chosen, instant now) {
  recent_.push_back(now);
  if (recent_.size() > statements_a_second) recent_.pop_front();
  if (chosen.todo == what::report) reported_ = now;
  if (chosen.todo == what::clean_up) cleaned_ = now;
  // The first time is soon, and the process's own.
  if (cleaned_.count() == 0) cleaned_ = now - between_cleanings + seconds_from(5 + 20 * phase_);
  // After a proposal the plan is there, or it is looked for again.
  if (chosen.todo == what::read) read_ = chosen.target;
  if (chosen.todo == what::propose) read_ = 0;
}

void schedule::failed(instant now) {
  not_before_ = now + after_failure;
  read_ = 0;
}

}  // namespace rowrunner::limits
