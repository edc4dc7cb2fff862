// The checker itself: a history that is sound passes, and it takes very little to make it fail.

#include "chaos/checker/checker.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "chaos/checker/sound_run.hpp"

namespace rowrunner::chaos {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// What the checker says after the one line that contains `from` has become `to`.
std::string after_change(const std::string& from, const std::string& to) {
  auto lines = sound_run().lines;
  int changed = 0;
  for (auto* file : {&lines.history, &lines.database}) {
    for (auto& each : *file) {
      const auto found = each.find(from);
      if (found == std::string::npos) continue;
      each.replace(found, from.size(), to);
      ++changed;
    }
  }
  EXPECT_EQ(changed, 1) << from;
  return first_complaint(lines);
}

TEST(checker, a_sound_run_passes_and_its_table_is_right) {
  const auto verdict = check(sound_run().lines.read());
  EXPECT_EQ(first_complaint(sound_run().lines), "");
  EXPECT_THAT(verdict.unreached, IsEmpty());
  EXPECT_TRUE(verdict.passed());
  const auto& t = verdict.table;
  EXPECT_EQ(t.jobs, 6);
  EXPECT_EQ(t.executions, 10);
  EXPECT_EQ(t.zombies, 1);
  EXPECT_EQ(t.rescues, 2);
  EXPECT_EQ(t.fenced_writes, 2);
  EXPECT_EQ(t.cut_commits, 3);
  EXPECT_EQ(t.joins, 1);
  EXPECT_EQ(t.joins_after_rescue, 1);
  EXPECT_EQ(t.met, 2);
  EXPECT_EQ(t.steps_with_effects, 1);
  EXPECT_EQ(t.doubtful_steps_stored, 1);
  EXPECT_EQ(t.exhausted, 1);
  EXPECT_EQ(t.unknown, 1);
  EXPECT_EQ(t.duplicates, 0);
  EXPECT_THAT(printed(verdict, 7), HasSubstr("passed\n"));
}

TEST(checker, a_history_with_one_line_removed_does_not_pass) {
  const auto whole = sound_run().lines;
  const auto try_without = [&](std::vector<std::string> run_lines::*file) {
    for (std::size_t i = 0; i < (whole.*file).size(); ++i) {
      const auto& text = (whole.*file)[i];

      auto cut = whole;
      (cut.*file).erase((cut.*file).begin() + static_cast<std::ptrdiff_t>(i));
      EXPECT_FALSE(check(cut.read()).passed()) << "without: " << text;
    }
  };
  try_without(&run_lines::history);
  try_without(&run_lines::database);
  try_without(&run_lines::proxy);
}

TEST(checker, one_effect_duplicated_is_found) {
  auto lines = sound_run().lines;
  for (const auto& each : sound_run().lines.database) {
    if (each.starts_with("effect\t" + id(1))) lines.database.push_back(each);
  }
  EXPECT_THAT(first_complaint(lines), HasSubstr("I6 job-1: 2 effects instead of 1"));
  EXPECT_EQ(check(lines.read()).table.duplicates, 1);
}

TEST(checker, an_effect_of_another_transaction_or_lease_is_found) {
  EXPECT_THAT(after_change("effect\t" + id(1) + "\t11", "effect\t" + id(1) + "\t12"),
              HasSubstr("I6 job-1: its effect came with another lease"));
}

TEST(checker, an_acknowledged_enqueue_that_is_not_there_is_found) {
  EXPECT_THAT(after_change("enqueued chaos job-1 " + id(1), "enqueued chaos job-1 " + id(8)),
              HasSubstr("I1 job-1: an acknowledged enqueue is not there"));
}

TEST(checker, a_second_row_of_one_key_is_found) {
  auto b = sound_run();
  b.lines.database.push_back(tabs({"job", id(8), "chaos", "job-1", "queued", "0", "4", "", "0"}));
  EXPECT_TRUE(complains(b.lines, "the key exists twice"));
}

TEST(checker, a_job_that_leaves_its_end_without_a_retry_is_found) {
  auto b = sound_run();
  b.moved(16, 2, "failed", "queued", "", "", 2, 0, "w0.1");
  EXPECT_THAT(first_complaint(b.lines), HasSubstr("I2 job-2: it left failed for queued"));
  b.note(15, "runner requeue job-2");
  EXPECT_THAT(first_complaint(b.lines), ::testing::Not(HasSubstr("I2")));
}

TEST(checker, a_success_of_a_worker_that_has_lost_its_lease_is_found) {
  // As if the zombie's write had counted: the holder has not ended it yet.
  EXPECT_THAT(after_change("w0.1 end job-3 2 31 ok", "w0.1 stopped job-3 2 31"),
              HasSubstr("I3 job-3: it succeeded under lease 31, whose holder did not end it"));
}

TEST(checker, a_failure_that_came_from_another_lease_is_found) {
  EXPECT_THAT(after_change("seeded failure under lease 21", "seeded failure under lease 99"),
              HasSubstr("I3 job-2: a failure counted under lease 21 that came from another"));
}

TEST(checker, a_lease_taken_from_a_healthy_worker_is_found) {
  auto lines = sound_run().lines;
  std::erase_if(lines.history, [](const auto& each) {
    return each.find("runner stop") != std::string::npos ||
           each.find("runner cont") != std::string::npos;
  });
  EXPECT_THAT(first_complaint(lines), HasSubstr("was taken from w1.1, which had no trouble"));
}

TEST(checker, a_release_that_nobody_asked_for_is_found) {
  EXPECT_THAT(after_change("end job-5 1 51 snooze", "end job-5 1 51 effect"),
              HasSubstr("I3 job-5: it was given back under lease 51"));
}

TEST(checker, a_lease_number_that_comes_twice_is_found) {
  auto b = sound_run();
  b.ran(16, "w1.1", "begin", 5, 1, 52);
  EXPECT_THAT(first_complaint(b.lines), HasSubstr("lease 52 was given out twice"));
}

TEST(checker, an_attempt_charged_twice_is_found) {
  EXPECT_THAT(first_complaint([] {
                auto lines = sound_run().lines;
                lines.database.push_back(tabs({"charge", id(2)}));
                return lines;
              }()),
              HasSubstr("I5 job-2: charged 2 times, noted 3 times"));
}

TEST(checker, a_claim_of_a_job_that_runs_is_found) {
  auto b = sound_run();
  b.claimed(20, 5, 53, 0, "w1.1");
  EXPECT_THAT(first_complaint(b.lines), HasSubstr("job-5"));
}

TEST(checker, a_stored_step_that_runs_again_is_found) {
  auto b = sound_run();
  b.ran(7, "w0.1", "begin", 5, 1, 53);
  b.ran(7, "w0.1", "body", 5, 1, 53, "call");
  b.ran(7, "w0.1", "stopped", 5, 1, 53);
  EXPECT_TRUE(complains(b.lines, "step call was run again after it had been stored"));
}

TEST(checker, a_worker_that_is_not_told_to_stop_is_found) {
  auto b = sound_run();
  std::erase_if(b.lines.history, [](const auto& each) {
    return each.find("w1.1 end job-3") != std::string::npos ||
           each.find("runner exit w1.1") != std::string::npos;
  });
  b.ran(40, "w1.1", "end", 3, 1, 30, "effect");
  b.note(41, "runner exit w1.1 0");
  const auto* complaint = "w1.1 went on with it for a whole lease after it had lost it";
  EXPECT_TRUE(complains(b.lines, complaint));
  auto slow_later = b;
  slow_later.note(60, "runner slow 20000");
  EXPECT_TRUE(complains(slow_later.lines, complaint)) << "it was slow when this was over";
  auto stopped = b;
  stopped.note(20, "runner stop w1.1");
  stopped.note(39, "runner cont w1.1");
  EXPECT_FALSE(complains(stopped.lines, complaint)) << "it was stopped soon after it had lost it";
  b.note(39, "runner slow 20000");
  EXPECT_FALSE(complains(b.lines, complaint)) << "nobody could have told it";
}

TEST(checker, a_job_that_ends_too_late_is_found_unless_its_handler_takes_that_long) {
  const auto ended = [](const std::string& name, int when) {
    auto lines = sound_run().lines;
    const auto change = [](std::string& text, const std::string& from, const std::string& to) {
      const auto found = text.find(from);
      if (found != std::string::npos) text.replace(found, from.size(), to);
    };
    for (auto* file : {&lines.history, &lines.database}) {
      for (auto& each : *file) {
        change(each, "job-5", name);
        change(each, at(20) + " runner drained", at(when) + " runner drained");
        change(each, at(6) + "\tchaos\t" + id(5), at(when) + "\tchaos\t" + id(5));
      }
    }
    return first_complaint(lines);
  };
  EXPECT_EQ(ended("job-5", 43), "");
  EXPECT_EQ(ended("job-5", 50), "I11 job-5: it ended later than 23000 ms after the faults");
  EXPECT_EQ(ended("slow-5", 54), "");
  EXPECT_EQ(ended("slow-5", 56), "I11 slow-5: it ended later than 35000 ms after the faults");
}

TEST(checker, a_worker_that_was_asked_to_stop_before_it_listened_has_not_crashed) {
  auto b = sound_run();
  b.note(5, "runner start w2.1 102");
  auto unasked = b;
  b.note(5, "runner term w2.1");
  for (auto* each : {&b, &unasked}) each->note(5, "runner exit w2.1 143");
  EXPECT_EQ(first_complaint(b.lines), "");
  EXPECT_THAT(first_complaint(unasked.lines), HasSubstr("I12 -: w2.1 ended with 143"));
}

TEST(checker, a_worker_that_is_stopped_must_go_on_unless_it_had_crashed) {
  auto b = sound_run();
  b.note(5, "runner start w2.1 102");
  b.note(8, "runner stop w2.1");
  b.note(9, "runner exit w2.1 139");
  EXPECT_TRUE(complains(b.lines, "w2.1 was stopped and never went on"));
  b.ran(7, "w2.1", "crash", 5, 1, 54, "11");
  EXPECT_FALSE(complains(b.lines, "w2.1 was stopped and never went on"));
}

TEST(checker, disagreements_late_ends_crashes_and_secrets_are_found) {
  const auto with = [](const std::function<void(run_builder&)>& change) {
    auto b = sound_run();
    change(b);
    return first_complaint(b.lines);
  };
  EXPECT_THAT(with([](auto& b) { b.note(8, "watcher disagreement I8 plan-1/spot-2"); }),
              HasSubstr("I8 plan-1/spot-2"));
  EXPECT_THAT(after_change("1020000000 runner drained", "1044000000 runner drained"),
              HasSubstr("I11"));
  EXPECT_THAT(after_change("runner exit w0.1 0", "runner exit w0.1 139"),
              HasSubstr("I12 -: w0.1 ended with 139"));
  EXPECT_THAT(with([](auto& b) { b.note(9, "runner size w0.1 900000 20"); }),
              HasSubstr("I12 -: w0.1 has grown"));
  auto record = sound_run().lines.read();
  record.leaks.emplace_back("w0.1.log");
  EXPECT_EQ(check(record).violations.front().what, "a secret stands in w0.1.log");
}

TEST(checker, a_run_that_never_came_to_the_dangerous_states_is_inconclusive) {
  auto lines = sound_run().lines;
  lines.proxy.clear();
  lines.log.resize(2);
  const auto verdict = check(lines.read());
  EXPECT_THAT(verdict.violations, IsEmpty());
  EXPECT_THAT(verdict.unreached,
              ElementsAre("a stale finish fenced", "a stale fail fenced",
                          "a lost commit resolved as committed",
                          "a lost commit resolved as aborted", "a step whose answer was lost"));
  EXPECT_THAT(printed(verdict, 7), HasSubstr("inconclusive: never reached: a stale finish"));
}

TEST(checker, a_violation_is_printed_with_its_lines_and_the_seed) {
  auto b = sound_run();
  b.lines.database.push_back(tabs({"charge", id(2)}));
  const auto text = printed(check(b.lines.read()), 7);
  EXPECT_THAT(text, HasSubstr("FAILED: I5, job job-2: charged 2 times, noted 3 times (seed 7)"));
  EXPECT_THAT(text, HasSubstr(at(2) + " w0.1 begin job-2 1 21"));
  EXPECT_THAT(text, ::testing::Not(HasSubstr("passed")));
}

TEST(checker, reads_the_jobs_of_a_transaction_off_the_wire) {
  EXPECT_THAT(claims_in("[write_settings; end_leases {5}; succeed/chaos {\"" + id(1) + "\",\"" +
                        id(2) + "\"} {11,12}; commit]"),
              ElementsAre(std::pair{id(1), std::int64_t{11}}, std::pair{id(2), std::int64_t{12}}));
  EXPECT_THAT(claims_in("claim/chaos 2 -32768"), IsEmpty());
  const auto stored = "[begin; store_steps/chaos 1 {" + id(1) + "," + id(2) +
                      "} {11,12} {build,\"page-1\"}; commit]";
  EXPECT_THAT(claims_in(stored), IsEmpty());
  const auto steps = steps_in(stored);
  ASSERT_EQ(steps.size(), 2U);
  EXPECT_EQ(steps[1].job_id, id(2));
  EXPECT_EQ(steps[1].lease, 12);
  EXPECT_EQ(steps[1].step, "page-1");
}

}  // namespace
}  // namespace rowrunner::chaos
