#include "worker/loop_plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rowrunner {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::StrEq;
using namespace std::chrono_literals;

const loop_plan::time start{1h};
const claim_facts nothing{.asked = 10, .from_front = true};
constexpr auto between_polls = 500ms;

class loop_decides : public ::testing::Test {
 protected:
  loop_decides() {
    for (const char* kind : {"a", "b"}) {
      kind_options how;
      how.kind = kind;
      how.max_concurrent = 3;
      lanes.push_back(std::make_unique<lane>(how));
      lanes.back()->kind.kind = kind;
    }
  }

  /// Fills the slots of the lane; gives the jobs.
  std::vector<job_ptr> run_jobs(lane& lane, int jobs) {
    std::vector<job_ptr> all;
    for (int i = 0; i < jobs; ++i) all.push_back(std::make_shared<running_job>());
    lane.jobs.claimed(jobs, start);
    lane.jobs.add(all, jobs, start);
    while (lane.jobs.start_next()) {
    }
    return all;
  }
  void sleep_all() {
    for (const auto& lane : lanes) {
      while (lane->claims.awake()) lane->claims.claimed(nothing, options.drain, start);
    }
  }
  /// A poll that answers this for both kinds; gives those of which it armed the flag.
  std::string poll(const poll_row& row, bool acted = false) {
    std::string armed;
    for (const auto* each : decide.begin_poll(start)) {
      if (decide.arms(*each)) armed += each->kind.kind;
    }
    for (const auto& lane : lanes) {
      lane->claims.polled(row, start);
      decide.row_done(*lane, row, acted, start);
    }
    decide.end_poll(between_polls, start);
    return armed;
  }
  std::optional<loop_plan::time> wait() const { return decide.wait_until(0, start); }

  worker_options options;
  lane_list lanes;
  loop_plan decide{lanes, options};
  lane& a() { return *lanes[0]; }
  lane& b() { return *lanes[1]; }
};

TEST_F(loop_decides, claims_for_the_free_slots) {
  EXPECT_EQ(decide.to_claim(a(), 0, start), 3);
  run_jobs(a(), 2);
  EXPECT_EQ(decide.to_claim(a(), 0, start), 1);
  run_jobs(a(), 1);
  EXPECT_EQ(decide.to_claim(a(), 0, start), 0);
}

TEST_F(loop_decides, claims_nothing_while_too_many_outcomes_are_unwritten) {
  EXPECT_EQ(decide.to_claim(a(), loop_plan::most_unwritten, start), 3);
  EXPECT_EQ(decide.to_claim(a(), loop_plan::most_unwritten + 1, start), 0);
}

TEST_F(loop_decides, claims_nothing_for_a_lane_that_sleeps_is_paused_or_has_failed) {
  a().claims.polled({.paused = true}, start);
  EXPECT_EQ(decide.to_claim(a(), 0, start), 0);
  b().claims.failed(loop_task::claim, start);
  EXPECT_EQ(decide.to_claim(b(), 0, start), 0);
  EXPECT_EQ(decide.to_claim(b(), 0, start + 100ms), 3);
  sleep_all();
  EXPECT_EQ(decide.to_claim(b(), 0, start + 100ms), 0);
}

TEST_F(loop_decides, claims_no_more_jobs_than_the_options_allow) {
  options.max_jobs = 4;
  a().counts.add(&worker_counts::claimed, 2);
  EXPECT_EQ(decide.to_claim(b(), 0, start), 2);
  a().counts.not_started(1);
  EXPECT_EQ(decide.to_claim(b(), 0, start), 3) << "a job that was released may be claimed again";
  b().counts.add(&worker_counts::claimed, 3);
  EXPECT_EQ(decide.to_claim(b(), 0, start), 0);
}

TEST_F(loop_decides, tries_again_before_any_wait_after_jobs_and_at_the_end_of_a_walk) {
  EXPECT_TRUE(decide.claimed(a(), {.jobs = 1, .seen = 1, .asked = 3, .from_front = true}, start));
  EXPECT_TRUE(decide.claimed(a(), {.asked = 3}, start)) << "the front was not seen";
  EXPECT_FALSE(decide.claimed(a(), nothing, start));
}

TEST_F(loop_decides, a_lane_that_falls_asleep_is_polled_for_at_once) {
  poll({});
  EXPECT_FALSE(decide.poll_due(start));
  while (a().claims.awake()) decide.claimed(a(), nothing, start);
  EXPECT_TRUE(decide.poll_due(start));
}

TEST_F(loop_decides, jobs_that_wait_too_long_are_stuck) {
  run_jobs(a(), 4);
  a().jobs.measure(start);
  EXPECT_FALSE(decide.stuck(a(), start + 59ms));
  EXPECT_TRUE(decide.stuck(a(), start + 60ms));
  EXPECT_FALSE(decide.stuck(b(), start + 1h));
}

TEST_F(loop_decides, arms_the_flags_once_when_a_lane_sleeps_and_polls_again_soon_after) {
  EXPECT_EQ(poll({}), "") << "no lane sleeps";
  sleep_all();
  EXPECT_EQ(poll({.armed = true}), "ab");
  EXPECT_EQ(wait(), start + 10ms);
  EXPECT_EQ(poll({.armed = true}), "");
  EXPECT_EQ(wait(), start + between_polls);
}

TEST_F(loop_decides, arms_the_flags_again_when_they_were_used_or_the_session_is_new) {
  sleep_all();
  poll({.armed = false});
  EXPECT_EQ(poll({.armed = true}), "ab");
  decide.disconnected();
  EXPECT_TRUE(decide.poll_due(start));
  EXPECT_EQ(poll({.armed = true}), "ab");
  decide.notified("a");
  sleep_all();
  EXPECT_EQ(poll({.armed = true}), "a") << "the enqueue has disarmed its own flag only";
}

TEST_F(loop_decides, does_not_arm_the_flag_of_a_kind_that_is_being_claimed) {
  sleep_all();
  poll({.armed = true});
  decide.notified("a");
  EXPECT_EQ(poll({}), "") << "a is awake, and the flag of b was armed before";
  EXPECT_EQ(poll({}), "b");
}

TEST_F(loop_decides, behind_a_pooler_no_flag_is_armed) {
  options.pooled = true;
  sleep_all();
  EXPECT_EQ(poll({}), "");
}

TEST_F(loop_decides, the_flag_of_a_paused_kind_need_not_be_armed) {
  sleep_all();
  poll({.paused = true});
  EXPECT_EQ(poll({}), "");
  EXPECT_EQ(poll({}), "ab") << "until it is resumed";
}

TEST_F(loop_decides, a_notification_wakes_its_kind_and_leaves_the_others_asleep) {
  sleep_all();
  poll({.armed = true});
  decide.notified("a");
  EXPECT_TRUE(a().claims.awake());
  EXPECT_TRUE(b().claims.asleep());
  EXPECT_FALSE(decide.poll_due(start)) << "an enqueue of b still finds its flag armed";
}

TEST_F(loop_decides, an_entry_that_a_poll_sees_wakes_its_lane) {
  sleep_all();
  poll({.waiting = true});
  EXPECT_TRUE(a().claims.awake());
}

TEST_F(loop_decides, a_paused_lane_is_not_woken) {
  sleep_all();
  poll({.paused = true, .waiting = true}, true);
  EXPECT_TRUE(a().claims.asleep());
}

TEST_F(loop_decides, jobs_that_were_rescued_or_moved_wake_their_lane) {
  sleep_all();
  poll({.next_due = 0ms, .expired = true}, true);
  EXPECT_TRUE(a().claims.awake());
}

TEST_F(loop_decides, polls_when_the_next_delayed_job_is_due) {
  run_jobs(a(), 3);
  run_jobs(b(), 3);
  poll({.next_due = 7ms});
  EXPECT_EQ(wait(), start + 7ms);
}

TEST_F(loop_decides, polls_when_what_failed_is_to_be_tried_again) {
  run_jobs(a(), 3);
  run_jobs(b(), 3);
  a().claims.failed(loop_task::rescue, start);
  poll({.expired = true});
  EXPECT_EQ(wait(), start + 100ms);
}

TEST_F(loop_decides, leaves_a_kind_whose_poll_failed_out_of_the_next_one) {
  a().claims.failed(loop_task::poll, start);
  EXPECT_THAT(decide.begin_poll(start), ElementsAre(&b()));
  decide.end_poll(between_polls, start);
  sleep_all();
  EXPECT_EQ(wait(), start + 100ms);
}

TEST_F(loop_decides, a_slow_poll_takes_a_twentieth_of_the_time) {
  sleep_all();
  poll({.armed = true});
  decide.begin_poll(start);
  decide.end_poll(between_polls, start + 100ms);
  EXPECT_EQ(decide.wait_until(0, start + 100ms), start + 100ms + 20 * 100ms);
}

TEST_F(loop_decides, the_poll_that_follows_an_armed_flag_comes_soon_even_if_polls_are_slow) {
  sleep_all();
  decide.begin_poll(start);
  decide.end_poll(between_polls, start + 100ms);
  EXPECT_EQ(decide.wait_until(0, start + 100ms), start + 110ms);
}

TEST_F(loop_decides, does_not_wait_while_there_is_something_to_claim) {
  poll({});
  EXPECT_EQ(wait(), std::nullopt);
}

TEST_F(loop_decides, waits_for_the_next_claim_and_for_jobs_that_get_stuck) {
  poll({});
  run_jobs(b(), 4);
  b().jobs.measure(start);
  decide.claimed(a(), nothing, start);
  EXPECT_EQ(wait(), start + 2ms);
  sleep_all();
  EXPECT_EQ(wait(), start + 60ms);
}

TEST_F(loop_decides, without_a_drain_it_is_finished_only_when_its_number_of_jobs_is_done) {
  sleep_all();
  poll({});
  EXPECT_FALSE(decide.finished(0));
  options.max_jobs = 1;
  const auto jobs = run_jobs(a(), 1);
  a().counts.add(&worker_counts::claimed, 1);
  EXPECT_FALSE(decide.finished(0)) << "it runs";
  a().jobs.ended(jobs[0]);
  EXPECT_FALSE(decide.finished(1)) << "its end is not written";
  EXPECT_TRUE(decide.finished(0));
}

class drain_decides : public loop_decides {
 protected:
  drain_decides() { options.drain = true; }
};

TEST_F(drain_decides, is_finished_when_all_kinds_sleep_and_a_poll_saw_nothing) {
  sleep_all();
  EXPECT_FALSE(decide.finished(0)) << "no poll yet";
  poll({});
  EXPECT_TRUE(decide.finished(0));
  EXPECT_FALSE(decide.finished(1));
}

TEST_F(drain_decides, goes_on_while_a_lane_may_find_something) {
  poll({});
  EXPECT_FALSE(decide.finished(0));
  for (int i = 0; i < lane_backoff::repeated_failures; ++i) {
    for (const auto& lane : lanes) lane->claims.failed(loop_task::claim, start);
  }
  EXPECT_TRUE(decide.finished(0)) << "it does not wait for a kind that cannot be claimed";
}

TEST_F(drain_decides, does_not_wait_for_a_paused_kind_nor_for_jobs_that_are_due_later) {
  poll({.paused = true, .waiting = true});
  EXPECT_TRUE(decide.finished(0));
  poll({.next_due = 1h});
  sleep_all();
  EXPECT_TRUE(decide.finished(0));
}

TEST_F(drain_decides, goes_on_when_outcomes_were_written_since_the_poll) {
  sleep_all();
  poll({});
  decide.outcomes_written();
  EXPECT_FALSE(decide.finished(0));
  EXPECT_TRUE(decide.poll_due(start));
}

TEST_F(drain_decides, polls_again_at_once_if_outcomes_were_written_during_the_poll) {
  sleep_all();
  decide.begin_poll(start);
  decide.outcomes_written();
  decide.end_poll(between_polls, start);
  EXPECT_TRUE(decide.poll_due(start));
  EXPECT_FALSE(decide.finished(0));
}

TEST_F(drain_decides, polls_again_at_once_after_it_brought_jobs_into_the_queue) {
  sleep_all();
  poll({.expired = true}, true);
  EXPECT_TRUE(decide.poll_due(start));
  EXPECT_FALSE(decide.finished(0));
}

TEST_F(drain_decides, waits_for_trouble_that_may_pass_and_not_for_what_failed_repeatedly) {
  for (const auto task : {loop_task::rescue, loop_task::move, loop_task::locked, loop_task::poll}) {
    sleep_all();
    const poll_row row{.waiting = task == loop_task::locked,
                       .next_due = task == loop_task::move ? std::optional(0ms) : std::nullopt,
                       .expired = task == loop_task::rescue};
    const auto poll_in_trouble = [&] {
      decide.begin_poll(start);
      for (const auto& lane : lanes) {
        lane->claims.polled(row, start);
        lane->claims.failed(task, start);
        decide.row_done(*lane, row, false, start);
      }
      decide.end_poll(between_polls, start);
    };
    poll_in_trouble();
    EXPECT_FALSE(decide.finished(0)) << static_cast<int>(task);
    if (task == loop_task::poll) continue;  // an answer ends it
    for (int i = 1; i < lane_backoff::repeated_failures; ++i) poll_in_trouble();
    EXPECT_TRUE(decide.finished(0)) << static_cast<int>(task);
  }
}

TEST_F(drain_decides, reports_the_kinds_of_which_something_is_left_behind) {
  EXPECT_THAT(decide.left_behind(), IsEmpty());
  for (int i = 0; i < lane_backoff::repeated_failures; ++i)
    b().claims.failed(loop_task::poll, start);
  EXPECT_THAT(decide.left_behind(), ElementsAre(Pair(&b(), StrEq("its polls fail"))));
  options.max_jobs = 1;
  a().counts.add(&worker_counts::claimed, 1);
  EXPECT_THAT(decide.left_behind(), IsEmpty()) << "it has done what it was asked for";
}

TEST_F(loop_decides, a_drain_polls_again_after_joins_were_fired_and_waits_a_while_for_locked_ones) {
  options.drain = true;
  sleep_all();
  const auto poll_with = [&](std::int64_t fired) {
    decide.begin_poll(start);
    for (const auto& lane : lanes) decide.row_done(*lane, {}, false, start);
    decide.joins().begin({1}, true, start);
    decide.joins().tried(1, {.jobs = fired}, start, start);
    decide.joins_noted(fired > 0, start);
    decide.end_poll(between_polls, start);
  };
  poll_with(2);
  EXPECT_TRUE(decide.poll_due(start));
  EXPECT_FALSE(decide.finished(0)) << "what was fired is to be claimed";
  for (int tries = 0; tries < lane_backoff::repeated_failures; ++tries) {
    EXPECT_FALSE(decide.finished(0)) << tries;
    poll_with(0);
    EXPECT_FALSE(decide.poll_due(start)) << "not at once again";
    EXPECT_TRUE(decide.poll_due(start + between_polls));
  }
  EXPECT_TRUE(decide.finished(0)) << "other sessions keep them locked";
}

TEST_F(loop_decides, joins_that_are_in_the_way_of_claims_wait_for_others) {
  sleep_all();
  poll({.armed = true});
  decide.begin_poll(start);
  EXPECT_TRUE(decide.joins_due(start)) << "nothing runs";
  decide.joins().begin({1}, true, start);
  decide.joins().tried(1, {.jobs = 1}, start, start);
  EXPECT_TRUE(decide.joins_due(start));
  const auto running = run_jobs(a(), 1);
  EXPECT_FALSE(decide.joins_due(start));
  decide.joins_noted(false, start);
  decide.end_poll(between_polls, start);
  EXPECT_FALSE(decide.poll_due(start + 49ms));
  EXPECT_TRUE(decide.poll_due(start + 50ms));
  EXPECT_TRUE(decide.joins_due(start + 50ms));
}

// Jobs that take no time have ended whenever a poll is made.
TEST_F(loop_decides, joins_wait_while_claims_find_jobs_though_none_runs) {
  sleep_all();
  decide.begin_poll(start);
  decide.claimed(a(), {.jobs = 3, .seen = 3, .asked = 3}, start);
  decide.joins().begin({1}, decide.idle(start), start);
  decide.joins().tried(1, {.jobs = 1}, start, start);
  decide.joins_noted(true, start);
  decide.outcomes_written();
  EXPECT_FALSE(decide.joins_due(start)) << "the next claim would wait for it";
  EXPECT_TRUE(decide.joins_due(start + 50ms));
  decide.claimed(a(), {.jobs = 1, .seen = 1, .asked = 3, .from_front = true}, start);
  EXPECT_TRUE(decide.joins_due(start)) << "no other job is there";
}

}  // namespace
}  // namespace rowrunner
