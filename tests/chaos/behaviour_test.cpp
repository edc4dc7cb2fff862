#include "chaos/behaviour.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>

namespace rowrunner::chaos {
namespace {

std::map<action, int> mixture(std::uint64_t seed) {
  std::map<action, int> counts;
  for (int i = 0; i < 5'000; ++i) {
    ++counts[behaviour_of(seed, "job-" + std::to_string(i), 1).what];
  }
  return counts;
}

TEST(behaviour, is_a_function_of_seed_job_and_attempt) {
  EXPECT_EQ(draw(1, "job-1", 1), draw(1, "job-1", 1));
  EXPECT_NE(draw(1, "job-1", 1), draw(2, "job-1", 1));
  EXPECT_NE(draw(1, "job-1", 1), draw(1, "job-2", 1));
  EXPECT_NE(draw(1, "job-1", 1), draw(1, "job-1", 2));
}

TEST(behaviour, every_seed_has_its_own_mixture_of_everything_ordinary) {
  const auto one = mixture(1), two = mixture(2);
  EXPECT_EQ(one.size(), 10U);
  EXPECT_NE(one, two);
  EXPECT_FALSE(one.contains(action::crash));
  EXPECT_FALSE(one.contains(action::hang));
}

TEST(behaviour, the_class_of_a_name_decides) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    EXPECT_EQ(behaviour_of(seed, "doomed-1", 3).what, action::fail);
    EXPECT_EQ(behaviour_of(seed, "poison-1", 3).what, action::crash);
    EXPECT_EQ(behaviour_of(seed, "crash-1", 1).what, action::crash);
    EXPECT_EQ(behaviour_of(seed, "crash-1", 2).what, action::steps);
    EXPECT_EQ(behaviour_of(seed, "hang-1", 1).what, action::hang);
    EXPECT_TRUE(behaviour_of(seed, "late-1", 1).stubborn);
    EXPECT_FALSE(behaviour_of(seed, "late-1", 2).stubborn);
    EXPECT_LT(behaviour_of(seed, "late-1", 2).time, std::chrono::seconds{4});
    EXPECT_GT(behaviour_of(seed, "slow-1", 1).time, std::chrono::seconds{10});
    EXPECT_GE(behaviour_of(seed, "sloth-1", 2).time, std::chrono::seconds{50});
  }
}

TEST(behaviour, what_a_job_makes_has_its_name_and_makes_nothing_itself) {
  EXPECT_EQ(kid_of("pages-7", 2), "kid-pages-7-2");
  EXPECT_EQ(total_of("job-7"), "total-job-7");
  EXPECT_TRUE(made_by_a_job(leaf_of("job-7", 1)));
  EXPECT_TRUE(made_by_a_job(sum_of("pages-7")));
  EXPECT_FALSE(made_by_a_job("pages-7"));
  for (int i = 0; i < 2'000; ++i) {
    EXPECT_NE(behaviour_of(1, leaf_of("job-" + std::to_string(i), 1), 1).what, action::fork);
  }
}

TEST(behaviour, every_sort_of_pages_comes) {
  int pairs = 0, summed = 0, crashes = 0, failures = 0, kids = 0;
  for (int i = 0; i < 2'000; ++i) {
    const auto name = "pages-" + std::to_string(i);
    EXPECT_EQ(behaviour_of(1, name, 1).what, action::pages);
    const auto plan = pages_of(1, name);
    EXPECT_GE(plan.pages, 2);
    EXPECT_LE(std::max(plan.crash_after, plan.fail_after), plan.pages);
    pairs += plan.in_pairs;
    summed += plan.summed;
    crashes += plan.crash_after > 0;
    failures += plan.fail_after > 0;
    kids += has_kid(1, name, 1);
  }
  for (const int count : {pairs, summed, crashes, failures, kids}) EXPECT_GT(count, 5);
}

}  // namespace
}  // namespace rowrunner::chaos
