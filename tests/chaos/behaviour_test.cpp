#include "chaos/behaviour.hpp"

#include <gtest/gtest.h>

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
  EXPECT_EQ(one.size(), 9U);
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

}  // namespace
}  // namespace rowrunner::chaos
