// The checker: what was taken, stored, charged or cancelled, under which lease and for what reason.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "chaos/checker/sound_run.hpp"

namespace rowrunner::chaos {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// A sixth job, which w0.1 claims under lease 61 after ten seconds.
run_builder with_sixth_job() {
  auto b = sound_run();
  b.enqueued(6);
  b.claimed(10, 6, 61, 0, "w0.1");
  b.ran(10, "w0.1", "begin", 6, 1, 61);
  return b;
}

TEST(causes, a_step_stored_under_another_lease_than_the_jobs_is_found) {
  const auto complaint = [](const std::string& held) {
    auto b = sound_run();
    b.step(14, 3, "build", 30, held, true);
    return first_complaint(b.lines);
  };
  EXPECT_EQ(complaint("31"),
            "I3 job-3: its step build was stored under lease 30 while it had lease 31");
  EXPECT_THAT(complaint(""), HasSubstr("while it had none"));
}

TEST(causes, a_run_that_is_cancelled_for_an_earlier_request_is_found) {
  const auto cancelled = [](int asked, int answered) {
    auto b = with_sixth_job();
    b.note(asked, "runner cancel job-6 1");
    if (answered > 0) b.note(answered, "runner asked job-6 1");
    b.ran(12, "w0.1", "stopped", 6, 1, 61);
    b.moved(12, 6, "processing", "cancelled", "61", "61", 0, 0, "w0.1", "cancelled");
    b.job(6, "cancelled", 0, 4);
    return first_complaint(b.lines);
  };
  EXPECT_EQ(cancelled(11, 11), "");
  EXPECT_EQ(cancelled(9, 10), "");
  EXPECT_EQ(cancelled(8, 0), "") << "the answer was lost, so it may have come at any time";
  EXPECT_EQ(cancelled(8, 9),
            "I3 job-6: it was cancelled under lease 61, though it was not asked for while this run"
            " went on");
}

TEST(causes, a_charge_for_what_ended_well_is_found) {
  const auto charged = [](const std::string& end, const std::string& error, bool locks) {
    auto b = with_sixth_job();
    if (locks) b.note(9, "runner fault-begin 22 row-locks");
    b.ran(11, "w0.1", "end", 6, 1, 61, end);
    b.moved(12, 6, "processing", "queued", "61", "", 0, 1, "w0.1", error);
    b.claimed(13, 6, 62, 1, "w0.1");
    b.ran(13, "w0.1", "begin", 6, 2, 62);
    b.ran(14, "w0.1", "end", 6, 2, 62, "ok");
    b.succeeded(14, 6, 62, 1, "w0.1", false);
    b.job(6, "succeeded", 1, 4);
    return first_complaint(b.lines);
  };
  EXPECT_EQ(charged("refused-effect", "the outcome was refused by the database: null", false), "");
  EXPECT_EQ(charged("ok", "the outcome could not be written: lock timeout", true), "");
  EXPECT_THAT(charged("ok", "the outcome could not be written: lock timeout", false),
              HasSubstr("I5 job-6: lease 61 ended with ok and was charged as a failure"));
  EXPECT_THAT(charged("effect", "the end could not be written", true),
              HasSubstr("I5 job-6: lease 61 ended with effect and was charged as a failure"));
}

TEST(causes, a_spot_that_a_transaction_leaves_at_odds_with_its_job_is_found) {
  auto b = sound_run();
  b.lines.database.push_back(tabs({"disagreement", id(1), "77", "not_started", "processing"}));
  EXPECT_EQ(first_complaint(b.lines),
            "I8 job-1: transaction 77 left its spot not_started and the job processing");
}

/// The sixth job is taken from w0.1 after 25 seconds.
run_builder with_a_lease_taken() {
  auto b = with_sixth_job();
  b.ran(15, "w0.1", "stopped", 6, 1, 61);
  b.moved(25, 6, "processing", "queued", "61", "", 0, 1, "w0.1", "worker w0.1 was lost");
  b.claimed(25, 6, 62, 1, "w1.1");
  b.ran(25, "w1.1", "begin", 6, 2, 62);
  b.ran(26, "w1.1", "end", 6, 2, 62, "ok");
  b.succeeded(26, 6, 62, 1, "w1.1", false);
  b.job(6, "succeeded", 1, 4);
  return b;
}

TEST(causes, a_lease_is_lost_by_trouble_that_made_its_worker_give_up) {
  auto b = with_a_lease_taken();
  EXPECT_THAT(first_complaint(b.lines), HasSubstr("was taken from w0.1, which had no trouble"));
  b.note(8, "runner impair w0");
  b.note(15, "runner recover w0");
  EXPECT_EQ(first_complaint(b.lines), "");
}

TEST(causes, a_lost_worker_is_charged_to_a_job_if_and_only_if_it_stored_no_step) {
  const auto complaint = [](bool step, int charge, bool noted) {
    auto b = with_sixth_job();
    b.note(8, "runner impair w0");
    b.note(15, "runner recover w0");
    b.ran(15, "w0.1", "stopped", 6, 1, 61);
    if (step) b.step(11, 6, "build", 61, "61", true);
    b.moved(20, 6, "processing", "queued", "61", "", 0, charge, "w0.1", "worker w0.1 was lost");
    if (charge == 0 && noted) b.lines.database.push_back(tabs({"charge", id(6)}));
    b.claimed(20, 6, 62, charge, "w1.1");
    b.ran(20, "w1.1", "begin", 6, charge + 1, 62);
    b.ran(20, "w1.1", "end", 6, charge + 1, 62, "ok");
    b.succeeded(20, 6, 62, charge, "w1.1", false);
    b.job(6, "succeeded", charge, 4);
    return first_complaint(b.lines);
  };
  EXPECT_EQ(complaint(false, 1, true), "");
  EXPECT_EQ(complaint(true, 0, true), "");
  EXPECT_THAT(complaint(true, 0, false), HasSubstr("charged 0 times, noted 0 times"));
  EXPECT_THAT(complaint(true, 1, true), HasSubstr("it had stored a step under lease 61"));
  EXPECT_THAT(complaint(false, 0, false), HasSubstr("whose holder did not ask for that"));
}

TEST(causes, what_waited_to_be_written_when_its_worker_died_had_no_heartbeat) {
  const auto complaint = HasSubstr("was taken from w0.1, which had no trouble");
  auto b = with_a_lease_taken();
  for (auto& each : b.lines.history) {
    if (each.ends_with("runner exit w0.1 0")) each = at(21) + " runner exit w0.1 0";
  }
  EXPECT_THAT(first_complaint(b.lines), complaint) << "dead for four seconds";
  b.ran(20, "w0.1", "end", 6, 1, 61, "ok");
  EXPECT_EQ(first_complaint(b.lines), "");
  std::erase_if(b.lines.history, [](const auto& each) {
    return each.find("runner exit w0.1") != std::string::npos;
  });
  b.note(30, "runner exit w0.1 0");
  EXPECT_THAT(first_complaint(b.lines), complaint) << "who lives sends one between two tries";
}

/// Its lease is taken from w1.1 at 12 seconds, so that it must have stopped at 24.
TEST(causes, a_run_that_was_cut_off_may_unwind_when_it_no_longer_is) {
  const auto unwound = [](int when, const std::string& event) {
    auto b = sound_run();
    std::erase_if(b.lines.history, [](const auto& each) {
      return each.find("runner exit w1.1") != std::string::npos ||
             each.find("end job-3 1 30") != std::string::npos ||
             each.find("runner cont w1.1") != std::string::npos;
    });
    std::erase(b.lines.log, fenced_write(3, 30));
    b.note(2, "runner cont w1.1");
    b.note(2, "runner impair w1");
    b.note(28, "runner recover w1");
    b.ran(when, "w1.1", event, 3, 1, 30, event == "end" ? "fail" : "");
    b.note(60, "runner exit w1.1 0");
    return complains(b.lines, "w1.1 went on with it for a whole lease after it had lost it");
  };
  EXPECT_FALSE(unwound(24, "stopped"));
  EXPECT_FALSE(unwound(29, "stopped")) << "its write came back then";
  EXPECT_TRUE(unwound(45, "stopped"));
  EXPECT_TRUE(unwound(29, "end")) << "it was not told";
}

TEST(causes, a_lease_is_lost_when_the_clock_of_the_server_jumps) {
  auto b = with_a_lease_taken();
  b.note(8, "runner jump");
  b.note(9, "runner jumped");
  EXPECT_THAT(first_complaint(b.lines), HasSubstr("was taken from w0.1, which had no trouble"));
  b.note(20, "runner jump");
  b.note(20, "runner jumped");
  EXPECT_EQ(first_complaint(b.lines), "");
}

TEST(causes, a_machine_that_stands_still_proves_nothing) {
  auto b = with_a_lease_taken();
  b.note(24, "runner slow 8000");
  const auto verdict = check(b.lines.read());
  EXPECT_THAT(verdict.violations, IsEmpty());
  EXPECT_THAT(verdict.unreached, ::testing::ElementsAre("a machine that keeps up"));
}

TEST(causes, a_machine_that_is_slow_now_and_then_keeps_up) {
  auto b = with_a_lease_taken();
  for (const int at : {4, 24, 44, 64}) b.note(at, "runner slow 3000");
  const auto verdict = check(b.lines.read());
  EXPECT_THAT(verdict.unreached, IsEmpty());
  ASSERT_FALSE(verdict.violations.empty()) << "three seconds are no reason to lose a lease";
  EXPECT_THAT(verdict.violations.front().what, HasSubstr("had no trouble that could explain it"));
}

TEST(causes, a_machine_that_is_slow_several_times_in_a_lease_does_not) {
  auto b = with_a_lease_taken();
  for (const int at : {18, 22}) b.note(at, "runner slow 3000");
  EXPECT_THAT(check(b.lines.read()).unreached, ::testing::ElementsAre("a machine that keeps up"));
}

}  // namespace
}  // namespace rowrunner::chaos
