#include "workloads/limits/plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <numeric>

#include "workloads/limits/codec.hpp"

namespace rowrunner::limits {
namespace {

member_report member(const std::string& name, int want, double tokens = 0) {
  member_report out;
  out.replica = name;
  out.want = want;
  out.tokens_per_call = tokens;
  return out;
}

int slots_in(const plan& all) {
  int sum = 0;
  for (const auto& each : all.shares) sum += each.slots;
  return sum;
}

TEST(limit_plan, the_same_facts_make_the_same_plan_in_whatever_order_they_come) {
  const auto one = next_plan({}, 1'000, {}, {member("a", 3), member("b", 5), member("c", 0)});
  const auto other = next_plan({}, 1'000, {}, {member("c", 0), member("b", 5), member("a", 3)});
  EXPECT_EQ(to_json(one).dump(), to_json(other).dump());
}

TEST(limit_plan, parts_of_a_call_are_carried_to_the_next_second) {
  quota known;
  known.requests_per_minute = 20;
  std::optional<plan> last;
  int sum = 0;
  for (epoch at = 1'000; at < 1'060; ++at) {
    last = next_plan(last, at, known, {member("a", 9), member("b", 9)});
    sum += slots_in(*last);
  }
  EXPECT_NEAR(sum, 20, 1);
}

TEST(limit_plan, spare_calls_are_at_hand_for_those_that_did_not_ask) {
  quota known;
  known.requests_per_minute = 600;
  const auto all = next_plan({}, 1'000, known, {member("a", 2), member("b", 0)});
  EXPECT_EQ(slots_in(all), 9);
  for (const auto& each : all.shares) EXPECT_GE(each.slots, 3) << each.replica;
}

TEST(limit_plan, tokens_bound_the_calls_and_what_they_really_cost_settles_it) {
  quota known;
  known.requests_per_minute = 6'000;
  known.tokens_per_minute = 60'000;
  std::optional<plan> last;
  std::map<epoch, double> spent;
  double sum = 0;
  for (epoch at = 1'000; at < 1'120; ++at) {
    auto one = member("a", 100, 500);
    // Each call costs twice what was expected.
    for (epoch e = at - 4; e < at; ++e) {
      if (spent.contains(e)) one.counts.push_back({e, 1, 0, spent[e]});
    }
    last = next_plan(last, at, known, {one});
    spent[at] = slots_in(*last) * 1'000.0;
    sum += spent[at];
  }
  EXPECT_NEAR(sum, 120'000, 12'000);
}

TEST(limit_plan, a_call_that_costs_more_than_ten_seconds_bring_is_saved_for) {
  quota known;
  known.tokens_per_minute = 60;
  known.requests_per_minute = 600;
  std::optional<plan> last;
  int calls = 0;
  for (epoch at = 1'000; at < 1'300; ++at) {
    last = next_plan(last, at, known, {member("a", 5, 100)});
    calls += slots_in(*last);
    // It costs what was expected; two plans later that is known.
  }
  EXPECT_GE(calls, 2);
}

TEST(limit_plan, concurrency_is_shared_by_the_replicas) {
  quota known;
  known.concurrency = 5;
  std::optional<plan> last;
  for (epoch at = 1'000; at < 1'005; ++at) {
    last = next_plan(last, at, known, {member("a", 9), member("b", 9)});
    int sum = 0;
    for (const auto& each : last->shares) sum += each.concurrency.value_or(99);
    EXPECT_LE(sum, 5);
    EXPECT_GE(sum, 4);
  }
}

TEST(limit_plan, nobody_is_left_out_for_good) {
  quota known;
  known.requests_per_minute = 60;
  std::optional<plan> last;
  std::map<std::string, int> given;
  std::vector<member_report> members;
  for (int i = 0; i < 20; ++i) members.push_back(member("r" + std::to_string(i), 5));
  for (epoch at = 1'000; at < 1'100; ++at) {
    last = next_plan(last, at, known, members);
    for (const auto& each : last->shares) given[each.replica] += each.slots;
  }
  for (const auto& [name, slots] : given) EXPECT_GE(slots, 4) << name;
}

TEST(limit_plan, is_stored_and_read_without_loss) {
  quota known;
  known.concurrency = 3;
  auto one = member("a", 4, 12.5);
  one.counts = {{999, 3, 1, 40}, {1'000, 2, 0, 20}};
  one.requests.add(100, 40, std::chrono::seconds(6));
  const auto made = next_plan(next_plan({}, 1'000, known, {one}), 1'001, known, {one});
  EXPECT_EQ(to_json(plan_from(to_json(made))), to_json(made));
  EXPECT_EQ(to_json(report_from(to_json(one))), to_json(one));
  EXPECT_THROW(plan_from(nlohmann::json::object()), nlohmann::json::exception);
}

TEST(limit_plan, reads_reports_of_earlier_versions_and_leaves_out_what_it_cannot_read) {
  auto one = member("a", 4, 12.5);
  one.requests.add(100, 40, std::chrono::seconds(6));
  auto stored = to_json(one);
  for (const char* name : {"requests", "tokens"}) {
    stored[name].erase(7);
    stored[name].erase(6);
  }
  const auto read = readable_report(stored.dump());
  ASSERT_TRUE(read);
  EXPECT_EQ(read->requests.used, one.requests.used);
  EXPECT_EQ(read->requests.proven, 0);
  EXPECT_EQ(read->requests.exact, 0);
  for (const char* unreadable : {"", "{}", "[]", R"({"replica": 1})"}) {
    EXPECT_FALSE(readable_report(unreadable)) << unreadable;
  }
}

}  // namespace
}  // namespace rowrunner::limits
