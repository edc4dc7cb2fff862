#include "workloads/limits/rate.hpp"

#include <algorithm>

namespace rowrunner::limits {
namespace {

/// A mean over fewer seconds says little.
constexpr epoch shortest_measure = 8;

void measure_anew(rate_state& now, epoch from) {
  now.accepted = 0;
  now.measured = from;
  now.counted = from - 1;
}

/// Adds the epochs that every replica has reported in full.
rate_state counted(rate_state now, const rate_facts& facts) {
  const epoch last = facts.at - 2;
  if (last - now.counted > 1) {
    // There were seconds without a plan.
    measure_anew(now, facts.at);
    now.since = facts.at;
    return now;
  }
  for (const auto& each : facts.fleet) {
    if (each.at <= now.counted || each.at < now.measured || each.at > last) continue;
    now.accepted += each.sent - each.rejected;
  }
  now.counted = std::max(now.counted, last);
  return now;
}

/// What was sent under the newest cut; what was on its way before tells nothing about it.
fleet_counts since_cut(const rate_state& now, const rate_facts& facts) {
  fleet_counts sum;
  for (const auto& each : facts.fleet) {
    if (each.at < now.cut || each.sent <= 0) continue;
    // Seconds without rejection dilute the share of those in which the limit was reached.
    if (sum.rejected == 0 && each.rejected == 0) continue;
    sum.sent += each.sent;
    sum.rejected += each.rejected;
  }
  return sum;
}

/// What was accepted in the seconds in which something was rejected, had all been sent.
double accepted_then(const rate_state& now, const rate_facts& facts) {
  double least = now.rate;
  for (const auto& each : facts.fleet) {
    if (each.at < now.cut || each.rejected <= 0) continue;
    const double planned = each.at <= facts.at - 2 ? now.before : now.rate;
    // A single rejection among few calls does not mean a tenth too many.
    least = std::min(least, planned * (1 - (each.rejected - 0.5) / each.sent));
  }
  return least;
}

/// A bucket was empty at the last cut and is empty now, so what was accepted between is what it
/// was filled with: better than the last second, in which its reserve was used up.
double seen_capacity(const rate_state& now, const rate_facts& facts, const fleet_counts& fresh,
                     const rate_rules& rules) {
  const double share = std::min(1.0, fresh.rejected / std::max(1.0, fresh.sent));
  const double accepted = std::max(accepted_then(now, facts), now.rate / 4);
  const auto span = now.counted - now.measured + 1;
  const double mean = now.accepted / static_cast<double>(std::max<epoch>(1, span));
  const bool measured = now.cut > 0 && span >= shortest_measure;
  // In a slow start the last second knows of a limit that was raised, the mean does not.
  if (now.ceiling == 0) return std::max(rules.first_cut * accepted, measured ? mean : 0);
  if (share > 0.3 || !measured) return accepted;
  return std::clamp(mean, now.rate / 2, now.rate);
}

void cut(rate_state& now, epoch at, double capacity, const rate_rules& rules) {
  now.ceiling = capacity;
  now.rate = rules.after_cut * capacity;
  now.base = now.step = 0;
  now.cut = now.since = at;
  measure_anew(now, at);
}

void probe(rate_state& now, epoch at, const rate_rules& rules) {
  if (at - now.since < (now.step == 0 ? rules.calm : rules.step_length)) return;
  now.since = at;
  if (now.step == 0) {
    now.base = now.rate;
    now.step = rules.first_step;
  } else {
    now.step += std::max(rules.first_step, now.step / 2);
  }
  now.rate = now.base * (1 + now.step);
  // The rate grew by so much without a 429: the service takes more than it did.
  if (now.step > rules.largest_step) now.ceiling = now.base = now.step = 0;
}

void grow(rate_state& now, epoch at, const rate_rules& rules) {
  if (now.ceiling == 0) {
    now.rate *= rules.slow_start;
  } else if (now.step == 0 && now.rate < rules.steady * now.ceiling) {
    now.rate = std::min(now.rate + rules.regrowth * now.ceiling, rules.steady * now.ceiling);
    now.since = at;
  } else {
    probe(now, at, rules);
  }
}

/// What answers told so far, of a limit that does not change. A new one is believed at once if it
/// is lower or proven, otherwise bit by bit.
double believed(double before, const limit_estimate& told) {
  constexpr double doubt = 1.01;
  if (before == 0 || told.window) return told.rate;
  return std::min(told.rate, std::max(told.at_least, before * doubt));
}

/// The level says whether the estimate is too high or too low; it is steered to the middle.
double told_rate(const rate_state& now, const limit_estimate& told, const rate_rules& rules) {
  if (told.window) {
    // Step by step, because right after a change of the limit a bucket may look like a window.
    return std::min(told.rate * rules.steady, std::max(first_rate, now.rate * 1.1));
  }
  return now.ceiling * std::clamp(rules.steady + 0.1 * (told.level - 0.5), 0.9, 1.0);
}

void follow_headers(rate_state& now, const rate_facts& facts, const fleet_counts& fresh,
                    const rate_rules& rules) {
  constexpr epoch caution = 10;
  const double told = facts.told->rate;
  if (fresh.rejected > 0) {
    cut(now, facts.at, std::min(told, seen_capacity(now, facts, fresh, rules)), rules);
    return;
  }
  now.ceiling = std::max(believed(now.ceiling, *facts.told), lowest_rate);
  const double wanted = told_rate(now, *facts.told, rules);
  const bool careful = facts.at - now.cut < caution;
  now.rate = careful ? std::min(wanted, now.rate + rules.regrowth * told) : wanted;
  now.base = now.step = 0;
  now.since = facts.at;
}

}  // namespace

rate_state initial_rate(epoch at, std::optional<double> quota, const rate_rules& rules) {
  rate_state first;
  if (quota) {
    first.ceiling = *quota;
    first.rate = rules.steady * *quota;
  }
  first.since = at;
  first.before = first.rate;
  measure_anew(first, at);
  return first;
}

rate_state next_rate(const rate_state& before, const rate_facts& facts, const rate_rules& rules) {
  auto now = counted(before, facts);
  const auto fresh = since_cut(before, facts);
  if (facts.told) {
    follow_headers(now, facts, fresh, rules);
  } else if (fresh.rejected > 0) {
    cut(now, facts.at, seen_capacity(now, facts, fresh, rules), rules);
  } else if (facts.wanted) {
    grow(now, facts.at, rules);
  } else {
    // Calls that were not wanted were not refused.
    now.since = facts.at;
    measure_anew(now, facts.at);
  }
  now.before = before.rate;
  now.rate = std::clamp(now.rate, lowest_rate, std::min(highest_rate, facts.quota.value_or(1e9)));
  return now;
}

}  // namespace rowrunner::limits
