#include "chaos/runner/families.hpp"

#include <gtest/gtest.h>

#include <set>

namespace rowrunner::chaos {
namespace {

TEST(families, come_in_every_shape_and_name_only_earlier_ones) {
  bool alone = false, chain = false, diamond = false, nothing = false;
  for (std::uint64_t n = 0; n < 200; ++n) {
    const auto family = family_of(1, n);
    std::set<std::string> earlier;
    for (const auto& one : family) {
      for (const auto& name : one.after) EXPECT_TRUE(earlier.contains(name)) << name;
      earlier.insert(one.name);
    }
    EXPECT_EQ(earlier.size(), family.size()) << "a name comes once";
    alone = alone || (family.size() == 1 && !family[0].after_nothing);
    nothing = nothing || family[0].after_nothing;
    chain = chain || family.size() == 2;
    diamond = diamond || (family.size() == 3 && family[2].after.size() == 2);
  }
  EXPECT_TRUE(alone && chain && diamond && nothing);
}

TEST(families, a_child_that_waits_for_success_does_not_wait_for_ever) {
  std::set<when_failed> policies;
  int patient = 0, impatient = 0;
  for (int n = 0; n < 200; ++n) {
    const auto how = terms_of(1, "after-" + std::to_string(n));
    policies.insert(how.policy);
    EXPECT_TRUE(how.at_latest || how.policy != when_failed::hold);
    ++(how.at_latest ? impatient : patient);
  }
  EXPECT_EQ(policies.size(), 3U);
  EXPECT_GT(patient, 0);
  EXPECT_GT(impatient, 0);
}

}  // namespace
}  // namespace rowrunner::chaos
