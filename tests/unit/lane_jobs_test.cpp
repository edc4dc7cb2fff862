#include "worker/lane_jobs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rowrunner {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using namespace std::chrono_literals;

const lane_jobs::clock::time_point start{1h};

job_ptr under(std::int64_t lease) {
  auto job = std::make_shared<running_job>();
  job->lease = lease;
  return job;
}

void add(lane_jobs& jobs, std::vector<job_ptr> list) {
  const int n = static_cast<int>(list.size());
  jobs.claimed(n, start);
  jobs.add(std::move(list), n, start);
}

/// Has ended so many jobs a second, with one more that waits.
lane_jobs busy(int slots, int per_second) {
  lane_jobs jobs(slots);
  const auto any = under(0);
  jobs.claimed(0, start);
  // The estimate keeps half of its old figure each time.
  for (int i = 1; i <= 20; ++i) {
    for (int n = 0; n < per_second; ++n) jobs.ended(any);
    jobs.measure(start + i * 1s);
  }
  add(jobs, {under(1)});
  return jobs;
}

TEST(lane_jobs, what_stands_before_those_that_wait_is_started_before_them) {
  lane_jobs jobs(10);
  const auto at = [](std::int16_t priority, std::int64_t seq) {
    auto job = under(1);
    job->position = {priority, seq};
    return job;
  };
  add(jobs, {at(0, 5), at(0, 6)});
  add(jobs, {at(-3, 9), at(0, 2), at(0, 7)});
  add(jobs, {});
  add(jobs, {at(0, 8)});
  std::vector<std::int64_t> order;
  while (const auto job = jobs.start_next()) order.push_back(job->position.seq);
  EXPECT_THAT(order, ElementsAre(9, 2, 5, 6, 7, 8));
}

TEST(lane_jobs, short_jobs_that_stop_are_stuck_soon) {
  EXPECT_EQ(busy(10, 10'000).stuck_at(), start + 60ms);
}

TEST(lane_jobs, jobs_that_began_together_may_end_together) {
  const auto at = busy(200, 2'000).stuck_at();  // 100 ms each
  EXPECT_GT(at, start + 150ms);
  EXPECT_LT(at, start + 205ms);
}

TEST(lane_jobs, nothing_waits_long_behind_long_jobs) {
  EXPECT_EQ(busy(50, 50).stuck_at(), start + 250ms);  // a second each
}

TEST(lane_jobs, without_jobs_that_wait_nothing_is_stuck) {
  auto jobs = busy(10, 10'000);
  jobs.take_waiting();
  EXPECT_EQ(jobs.stuck_at(), lane_jobs::clock::time_point::max());
}

TEST(lane_jobs, a_start_puts_off_when_the_others_are_stuck) {
  lane_jobs jobs(1);
  add(jobs, {under(1), under(2)});
  jobs.start_next();
  jobs.measure(start + 1s);
  EXPECT_EQ(jobs.stuck_at(), start + 1s + jobs.max_stall());
}

TEST(lane_jobs, jobs_start_in_their_order_while_there_are_slots) {
  lane_jobs jobs(2);
  const auto a = under(1), b = under(1), c = under(1);
  add(jobs, {a, b, c});
  EXPECT_EQ(jobs.start_next(), a);
  EXPECT_EQ(jobs.start_next(), b);
  EXPECT_EQ(jobs.start_next(), nullptr);
  jobs.ended(a);
  EXPECT_EQ(jobs.start_next(), c);
  EXPECT_EQ(jobs.free_slots(), 0);
}

TEST(lane_jobs, what_a_claim_announced_counts_before_it_is_there) {
  lane_jobs jobs(2);
  EXPECT_EQ(jobs.wanted(), 2);
  EXPECT_TRUE(jobs.idle());
  jobs.claimed(2, start);
  EXPECT_EQ(jobs.wanted(), 0);
  EXPECT_TRUE(jobs.more_to_start());
  EXPECT_FALSE(jobs.idle());
  jobs.add({}, 2, start);  // its lease was lost meanwhile
  EXPECT_TRUE(jobs.idle());
}

TEST(lane_jobs, those_of_a_lost_lease_are_taken_out_alone) {
  lane_jobs jobs(0);
  const auto a = under(1), b = under(2), c = under(1);
  add(jobs, {a, b, c});
  EXPECT_THAT(jobs.take_waiting(1), ElementsAre(a, c));
  EXPECT_THAT(jobs.take_waiting(1), IsEmpty());
  EXPECT_THAT(jobs.take_waiting(), ElementsAre(b));
}

}  // namespace
}  // namespace rowrunner
