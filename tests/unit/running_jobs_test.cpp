#include "worker/running_jobs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rowrunner {
namespace {

using ::testing::UnorderedElementsAre;

TEST(running_jobs, each_can_be_taken_out_whatever_the_order) {
  running_jobs jobs;
  const auto a = std::make_shared<running_job>(), b = std::make_shared<running_job>(),
             c = std::make_shared<running_job>();
  for (const auto& each : {a, b, c}) jobs.insert(each);
  jobs.erase(a);
  EXPECT_THAT(std::vector(jobs.begin(), jobs.end()), UnorderedElementsAre(b, c));
  jobs.erase(c);
  EXPECT_THAT(std::vector(jobs.begin(), jobs.end()), UnorderedElementsAre(b));
  jobs.insert(a);
  jobs.erase(b);
  EXPECT_THAT(std::vector(jobs.begin(), jobs.end()), UnorderedElementsAre(a));
  jobs.erase(a);
  EXPECT_TRUE(jobs.empty());
}

TEST(running_jobs, what_is_not_there_is_not_taken_out) {
  running_jobs jobs;
  const auto here = std::make_shared<running_job>(), never = std::make_shared<running_job>();
  jobs.erase(never);
  jobs.insert(here);
  jobs.erase(never);
  EXPECT_EQ(jobs.size(), 1U);
}

}  // namespace
}  // namespace rowrunner
