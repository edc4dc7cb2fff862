#include "workloads/limits/plan.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "workloads/limits/concurrency.hpp"
#include "workloads/limits/slots.hpp"

namespace rowrunner::limits {
namespace {

/// What is planned of a limit that was configured or told: clocks and counts are never exact.
constexpr double planned_part = 0.97;

struct fleet {
  std::map<epoch, fleet_counts> calls;
  std::map<epoch, double> tokens;
  header_sums requests_told;
  header_sums tokens_told;
  int want = 0;
  double tokens_per_call = 0;
};

fleet sum_of(const std::vector<member_report>& members) {
  fleet all;
  double weight = 0;
  for (const auto& member : members) {
    for (const auto& each : member.counts) {
      auto& sum = all.calls[each.at];
      sum.at = each.at;
      sum.sent += each.sent;
      sum.rejected += each.rejected;
      all.tokens[each.at] += each.tokens;
    }
    all.requests_told.add(member.requests);
    all.tokens_told.add(member.tokens);
    all.want += member.want;
    all.tokens_per_call += member.tokens_per_call * member.want;
    weight += member.want;
  }
  if (weight > 0) all.tokens_per_call /= weight;
  return all;
}

rate_state rate_of(const std::optional<plan>& before, epoch at, const quota& known,
                   const fleet& all, const rate_rules& rules) {
  std::optional<double> limit;
  if (known.requests_per_minute) limit = *known.requests_per_minute / 60;
  if (!before) return initial_rate(at, limit, rules);
  rate_facts facts;
  facts.at = at;
  double lately = 0;
  for (const auto& [when, counts] : all.calls) {
    facts.fleet.push_back(counts);
    if (when >= at - 3) lately += counts.sent - counts.rejected;
  }
  // Nothing is learned from a rate at which nothing was accepted: while calls are blocked, or
  // wait for others.
  const double rate = before->rate.rate;
  facts.wanted = all.want >= std::max(1.0, rate * 0.9) && lately >= std::max(1.0, rate);
  facts.told = estimate(all.requests_told);
  facts.quota = limit;
  return next_rate(before->rate, facts, rules);
}

std::optional<double> tokens_a_second(const quota& known, const fleet& all) {
  std::optional<double> rate;
  if (known.tokens_per_minute) rate = *known.tokens_per_minute / 60;
  if (const auto told = estimate(all.tokens_told)) {
    rate = std::min(rate.value_or(told->rate), told->rate);
  }
  if (rate) *rate *= planned_part;
  return rate;
}

/// The calls that there are tokens for. Without a limit of tokens it only remembers the costs.
double affordable(token_bucket& tokens, const std::optional<plan>& before, epoch at,
                  const quota& known, const fleet& all) {
  const auto rate = tokens_a_second(known, all);
  if (!rate) {
    tokens = {};
    return highest_rate;
  }
  const auto spent = all.tokens.find(at - 2);
  if (before && before->at == at - 1) {
    tokens.settle(spent == all.tokens.end() ? 0 : spent->second);
    tokens.fill(*rate, 1, all.tokens_per_call);
  } else {
    tokens = {};
    tokens.fill(*rate, 1, all.tokens_per_call);
  }
  return tokens.calls(all.tokens_per_call);
}

int whole_calls(plan& next, double affordable_calls) {
  const double budget = next.rate.rate + next.carry;
  const int calls = static_cast<int>(std::min(budget, std::floor(affordable_calls)));
  next.carry = std::min(1.0, budget - calls);
  return calls;
}

std::vector<int> slots_of(const std::vector<member_report>& members, int calls, std::int64_t turn) {
  std::vector<int> wants;
  for (const auto& member : members) wants.push_back(member.want);
  auto given = fair_shares(calls, wants, turn);
  int left = calls;
  for (const int each : given) left -= each;
  // What no replica asked for is at hand for calls that come unexpectedly.
  const auto spare = fair_shares(left, std::vector<int>(members.size(), left), turn);
  for (std::size_t i = 0; i < given.size(); ++i) given[i] += spare[i];
  return given;
}

std::vector<int> concurrency_of(const std::optional<plan>& before, int total,
                                const std::vector<member_report>& members, std::int64_t turn) {
  std::map<std::string, int> had;
  if (before) {
    for (const auto& each : before->shares) had[each.replica] = each.concurrency.value_or(0);
  }
  std::vector<concurrency_claim> claims;
  for (const auto& member : members) {
    const auto found = had.find(member.replica);
    // One more than now, so that the first call need not wait for a plan.
    claims.push_back({member.in_flight + member.want + 1, member.in_flight,
                      found == had.end() ? 0 : found->second});
  }
  return split_concurrency(total, claims, turn);
}

}  // namespace

plan next_plan(const std::optional<plan>& before, epoch at, const quota& known,
               std::vector<member_report> members, const rate_rules& rules) {
  std::sort(members.begin(), members.end(),
            [](const auto& a, const auto& b) { return a.replica < b.replica; });
  const auto all = sum_of(members);
  plan next;
  if (before) {
    next.tokens = before->tokens;
    next.carry = before->carry;
    next.turn = before->turn;
  }
  next.at = at;
  next.rate = rate_of(before, at, known, all, rules);
  const int calls = whole_calls(next, affordable(next.tokens, before, at, known, all));
  next.tokens.spend(calls * all.tokens_per_call);
  const auto given = slots_of(members, calls, next.turn);
  std::vector<int> side_by_side;
  if (known.concurrency) {
    side_by_side = concurrency_of(before, *known.concurrency, members, next.turn);
  }
  const auto size = members.size();
  for (std::size_t n = 0; n < size; ++n) {
    const auto i = (n + static_cast<std::size_t>(next.turn) % size) % size;
    share one{members[i].replica, given[i], {}};
    if (known.concurrency) one.concurrency = side_by_side[i];
    next.shares.push_back(std::move(one));
  }
  next.turn += calls;
  return next;
}

}  // namespace rowrunner::limits
