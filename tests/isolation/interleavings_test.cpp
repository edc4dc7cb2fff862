// The statements of a worker, a rescue and people who cancel and retry; see interleavings.hpp.

#include "isolation/interleavings.hpp"

namespace rowrunner::testing {
namespace {

TEST_F(interleavings, of_two_around_a_job_whose_lease_has_expired) {
  const auto set_up = [&] {
    does.enqueue('a');
    does.done(does.claim(1, lease_time::expired));
  };
  auto all = writes_under(1);
  for (auto& more : {does.rescue(), does.cancel('a'), does.claim(2)}) all.push_back(more);
  play_pairs(set_up, all);
  expect_outcomes("two_expired.txt");
}

TEST_F(interleavings, of_two_around_a_job_in_its_last_attempt) {
  const auto set_up = [&] {
    does.enqueue('a', 1);
    does.done(does.claim(1, lease_time::expired));
  };
  play_pairs(set_up, {does.fail(1, 'a'), does.rescue(), does.cancel('a'), does.requeue('a')});
  expect_outcomes("two_last_attempt.txt");
}

TEST_F(interleavings, of_two_around_a_waiting_job) {
  const auto set_up = [&] { does.enqueue('a'); };
  play(set_up, {does.claim_free(1), does.claim_free(2)});
  play_pairs(set_up, {does.cancel('a'), does.rescue()});
  for (const auto& claim : {does.claim(1), does.claim_free(1)}) {
    for (const auto& other : {does.claim(2), does.cancel('a'), does.rescue()}) {
      play(set_up, {claim, other});
    }
  }
  expect_outcomes("two_waiting.txt");
}

// A lease that is being ended gets heartbeats too, since the end may never arrive. They wait for
// nothing: beside an end that holds the lease they count for nothing.
TEST_F(interleavings, of_an_end_and_the_heartbeats_of_its_lease) {
  const auto set_up = [&] {
    does.enqueue('a');
    does.done(does.claim(1, lease_time::expired));
  };
  auto others = writes_under(1);
  for (auto& more : {does.heartbeat_at_end(1), does.rescue(), does.cancel('a')}) {
    others.push_back(more);
  }
  for (const auto& other : others) play(set_up, {does.heartbeat_at_end(1), other});
  play(set_up, {does.heartbeat_at_end(1), does.succeed(1, 'a'), does.rescue()});
  expect_outcomes("two_at_end.txt");
}

// Workers in other languages call functions instead of sending these statements.
TEST_F(interleavings, of_two_when_a_worker_calls_the_functions) {
  const auto set_up = [&] {
    does.enqueue('a');
    does.done(does.claim(1, lease_time::expired));
  };
  for (const auto& call : {does.call_succeed(1, 'a'), does.call_fail(1, 'a'),
                           does.call_release(1, 'a'), does.call_heartbeat(1)}) {
    for (const auto& other : {does.rescue(), does.cancel('a'), does.claim(2), does.succeed(1, 'a'),
                              does.call_fail(1, 'a')}) {
      play(set_up, {call, other});
    }
  }
  expect_outcomes("two_functions.txt");
}

// Two callers, as after a lost answer, and a worker that stores the same step: the effects happen
// once, and only under the lease.
TEST_F(interleavings, of_two_when_a_worker_adds_a_step_by_the_function) {
  const auto set_up = [&] {
    does.enqueue('a');
    does.done(does.claim(1, lease_time::expired));
  };
  for (const auto& other : {does.call_add_step(1, 'a'), does.step(1, 'a'), does.progress(1, 'a'),
                            does.rescue(), does.cancel('a'), does.succeed(1, 'a'),
                            does.call_fail(1, 'a'), does.call_release(1, 'a')}) {
    play(set_up, {does.call_add_step(1, 'a'), other});
  }
  play(set_up, {does.call_add_step(1, 'a'), does.rescue(), does.claim(2)});
  expect_outcomes("two_added_steps.txt");
}

// A worker that was paused past its lease, or whose writes were on their way for that long, while
// another one has the job: whatever it writes, and whatever other sessions do, it is as if it had
// not.
TEST_F(interleavings, of_a_worker_that_lost_its_job_and_the_one_that_has_it) {
  const auto set_up = [&] {
    does.enqueue('a');
    does.done(does.claim(1, lease_time::expired));
    does.done(does.rescue());
    does.done(does.claim(2, lease_time::expired));
  };
  auto others = writes_under(2);
  others.push_back(does.rescue());
  others.push_back(does.cancel('a'));
  auto late_writes = writes_under(1);
  late_writes.push_back(does.heartbeat_at_end(1));
  late_writes.push_back(does.call_add_step(1, 'a'));
  for (const auto& other : others) {
    const auto alone = on_stage.play(set_up, {other});
    ASSERT_EQ(alone.size(), 1);
    for (const auto& late : late_writes) {
      const auto together = on_stage.play(set_up, {late, other});
      ASSERT_EQ(together.size(), 1) << late.name << " beside " << other.name;
      ASSERT_EQ(together.begin()->first, late.name + " -, " + alone.begin()->first);
    }
  }
}

TEST_F(interleavings, of_a_worker_a_rescue_and_the_next_claim) {
  const auto set_up = [&] {
    does.enqueue('a');
    does.done(does.claim(1, lease_time::expired));
  };
  for (const auto& write : {does.heartbeat(1), does.step(1, 'a'), does.succeed(1, 'a'),
                            does.fail(1, 'a'), does.release(1, 'a'), does.abandon(1)}) {
    play(set_up, {write, does.rescue(), does.claim(2)});
  }
  expect_outcomes("three_next_claim.txt");
}

TEST_F(interleavings, of_a_worker_a_rescue_and_a_cancellation) {
  const auto set_up = [&] {
    does.enqueue('a');
    does.done(does.claim(1, lease_time::expired));
  };
  for (const auto& write :
       {does.heartbeat(1), does.succeed(1, 'a'), does.fail(1, 'a'), does.release(1, 'a')}) {
    play(set_up, {write, does.rescue(), does.cancel('a')});
  }
  play(set_up, {does.succeed(1, 'a'), does.heartbeat(1), does.rescue()});
  play(set_up, {does.fail(1, 'a'), does.rescue(), does.rescue()});
  expect_outcomes("three_cancellation.txt");
}

TEST_F(interleavings, of_three_claims_and_a_cancellation) {
  const auto set_up = [&] {
    does.enqueue('a');
    does.enqueue('b');
  };
  play(set_up, {does.claim(1), does.claim(2), does.claim(3)});
  play(set_up, {does.claim(1, lease_time::ample, 2), does.claim_free(2), does.claim(3)});
  play(set_up, {does.claim(1, lease_time::ample, 2), does.claim(2), does.cancel('a')});
  play(set_up, {does.claim_free(1, 2), does.claim_free(2), does.cancel('a')});
  expect_outcomes("three_claims.txt");
}

// A worker extends what it works on, not all that it ever claimed: what it has given up must
// expire.
TEST_F(interleavings, of_two_claims_of_one_worker) {
  const auto set_up = [&] {
    does.enqueue('a');
    does.enqueue('b');
    does.done(does.claim(1, lease_time::expired));
    does.done(does.claim(3, lease_time::expired));
  };
  play(set_up, {does.heartbeat(1), does.heartbeat(3)});
  play(set_up, {does.heartbeat(1), does.rescue()});
  play(set_up, {does.heartbeat(1), does.succeed(3, 'b')});
  play(set_up, {does.heartbeat(1), does.abandon(3), does.rescue()});
  expect_outcomes("two_claims_of_one_worker.txt");
}

// The lease names two jobs that end one after the other, and goes with the second.
TEST_F(interleavings, of_a_batch_that_ends_while_it_is_rescued) {
  const auto set_up = [&] {
    does.enqueue('a');
    does.enqueue('b');
    does.done(does.claim(1, lease_time::expired, 2));
  };
  auto both = does.succeed(1, 'a', false);
  const auto second = does.fail(1, 'b');
  both.name = "succeed and fail";
  both.steps.insert(both.steps.end(), second.steps.begin(), second.steps.end());
  const transaction held{
      "hold",
      {{{"BEGIN", {}}, {"SELECT FROM test_jobs WHERE name = 'a' FOR UPDATE", {}}},
       {{"COMMIT", {}}}},
      ""};
  play(set_up, {both, does.rescue()});
  play(set_up, {both, does.heartbeat(1)});
  play(set_up, {both, does.cancel('b')});
  play(set_up, {does.rescue(), does.rescue()});
  play(set_up, {held, does.rescue(), does.rescue()});
  play(set_up, {held, does.rescue(), does.claim(2, lease_time::ample, 2)});
  expect_outcomes("batch.txt");
}

}  // namespace
}  // namespace rowrunner::testing
