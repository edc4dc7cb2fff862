#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "workloads/scoring/chunk_handler.hpp"
#include "workloads/scoring/pipeline/answer_check.hpp"
#include "workloads/scoring/pipeline/concurrency_controller.hpp"
#include "workloads/scoring/pipeline/flush_plan.hpp"
#include "workloads/scoring/pipeline/next_step.hpp"
#include "workloads/scoring/pipeline/task.hpp"
#include "workloads/scoring/progress_bar.hpp"

namespace rowrunner::scoring {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Optional;
using time_point = std::chrono::steady_clock::time_point;

constexpr time_point start{1000s};

TEST(concurrency_controller, reduces_to_seven_tenths_and_recovers_by_one) {
  concurrency_controller calls(10);
  calls.reduce(start, start + 1s, 0ms);
  EXPECT_EQ(calls.limit(), 7);
  calls.reduce(start + 2s, start + 3s, 0ms);
  EXPECT_EQ(calls.limit(), 4);
  for (int i = 0; i < 4; ++i) calls.succeeded();
  EXPECT_EQ(calls.limit(), 5);
  EXPECT_EQ(calls.clean_batches(), 1);
  for (int i = 0; i < 1000; ++i) calls.succeeded();
  EXPECT_EQ(calls.limit(), 10);
}

TEST(concurrency_controller, a_429_resets_the_clean_batches_and_never_goes_below_one) {
  concurrency_controller calls(2);
  for (int i = 0; i < 4; ++i) calls.succeeded();
  EXPECT_EQ(calls.clean_batches(), 2);
  for (int i = 0; i < 5; ++i) calls.reduce(start + i * 2s, start + i * 2s + 1s, 0ms);
  EXPECT_EQ(calls.clean_batches(), 0);
  EXPECT_EQ(calls.limit(), 1);
}

TEST(concurrency_controller, calls_sent_before_a_reduction_reduce_no_further) {
  concurrency_controller calls(100);
  for (int i = 0; i < 50; ++i) calls.reduce(start, start + 1s, 0ms);
  EXPECT_EQ(calls.limit(), 70);
  EXPECT_EQ(calls.reductions(), 1);
}

TEST(concurrency_controller, starts_nothing_while_the_other_side_asks_to_wait) {
  concurrency_controller calls(2);
  EXPECT_TRUE(calls.may_start(start));
  calls.reduce(start, start, 20s);
  EXPECT_FALSE(calls.may_start(start + 19s));
  EXPECT_TRUE(calls.may_start(start + 20s));
  calls.start();
  EXPECT_FALSE(calls.may_start(start + 20s));
  calls.end();
  EXPECT_TRUE(calls.may_start(start + 20s));
}

TEST(concurrency_controller, waits_at_random_up_to_a_minute_if_no_time_is_named) {
  EXPECT_EQ(busy_pause(0, 0.5), 500ms);
  EXPECT_EQ(busy_pause(3, 0.5), 4s);
  EXPECT_EQ(busy_pause(50, 0.999), 59'940ms);
}

TEST(flush_plan, is_due_at_fifty_items_after_two_seconds_and_at_the_end) {
  flush_plan plan(50, 2s, start);
  EXPECT_FALSE(plan.due(49, false, start + 1s));
  EXPECT_TRUE(plan.due(50, false, start + 1s));
  EXPECT_TRUE(plan.due(1, false, start + 2s));
  EXPECT_TRUE(plan.due(1, true, start));
  EXPECT_FALSE(plan.due(0, true, start + 1h));
  plan.flushed(start + 2s);
  EXPECT_FALSE(plan.due(1, false, start + 3s));
  EXPECT_EQ(plan.at_latest(1), start + 4s);
  EXPECT_EQ(plan.at_latest(0), time_point::max());
}

TEST(flush_plan, tries_five_times_with_longer_and_longer_waits) {
  EXPECT_EQ(flush_tries, 5);
  EXPECT_THAT(
      (std::vector{flush_back_off(1), flush_back_off(2), flush_back_off(3), flush_back_off(4)}),
      ElementsAre(100ms, 200ms, 400ms, 800ms));
}

next_step step(reply_kind kind, bool fits, int retries, bool usable = false,
               bool fallback = false) {
  run_config config;
  config.max_retries = 2;
  config.fallback = fallback;
  return after_reply(kind, fits, usable, retries, config);
}

TEST(scoring_attempts, are_one_budget_for_network_and_answers) {
  EXPECT_EQ(step(reply_kind::answered, true, 2), next_step::write);
  EXPECT_EQ(step(reply_kind::answered, false, 0), next_step::ask_again);
  EXPECT_EQ(step(reply_kind::retry, false, 1), next_step::ask_again);
  EXPECT_EQ(step(reply_kind::answered, false, 2), next_step::fail);
  EXPECT_EQ(step(reply_kind::retry, false, 2), next_step::fail);
}

TEST(scoring_attempts, a_429_is_never_one) {
  for (int retries = 0; retries < 100; ++retries) {
    EXPECT_EQ(step(reply_kind::busy, false, retries), next_step::wait);
  }
}

TEST(scoring_attempts, a_dead_key_stops_the_chunk_and_a_refusal_fails_the_row_at_once) {
  EXPECT_EQ(step(reply_kind::key_dead, false, 0), next_step::stop);
  EXPECT_EQ(step(reply_kind::row_fails, false, 0), next_step::fail);
}

TEST(scoring_attempts, fall_back_only_after_the_last_and_only_if_asked_to) {
  EXPECT_EQ(step(reply_kind::answered, false, 1, true, true), next_step::ask_again);
  EXPECT_EQ(step(reply_kind::answered, false, 2, true, true), next_step::fall_back);
  EXPECT_EQ(step(reply_kind::answered, false, 2, true, false), next_step::fail);
  EXPECT_EQ(step(reply_kind::answered, false, 2, false, true), next_step::fail);
}

TEST(scoring_attempts, wait_longer_after_each_error_and_not_after_a_bad_answer) {
  EXPECT_EQ(retry_pause(reply_kind::answered, 3, std::nullopt), 0ms);
  EXPECT_EQ(retry_pause(reply_kind::retry, 0, std::nullopt), 250ms);
  EXPECT_EQ(retry_pause(reply_kind::retry, 2, std::nullopt), 1s);
  EXPECT_EQ(retry_pause(reply_kind::retry, 60, std::nullopt), 30s);
  EXPECT_EQ(retry_pause(reply_kind::retry, 0, 5s), 5s);
}

block mood() { return {"mood", {{"calm"}, {"angry"}}, 2}; }

std::string mistake(const std::string& text) { return answer_check(mood()).check(text).mistake; }

TEST(scoring_answers, that_fit_are_scores_in_the_order_of_the_categories) {
  const auto checked = answer_check(mood()).check(R"({"scores": {"angry": 1, "calm": 0.25}})");
  EXPECT_TRUE(checked.good()) << checked.mistake;
  EXPECT_THAT(checked.scores, ElementsAre(Optional(0.25), Optional(1.0)));
}

TEST(scoring_answers, that_do_not_fit_are_told_what_is_wrong) {
  EXPECT_THAT(mistake(R"({"scores": {"calm": 0.5}})"),
              HasSubstr("no score from 0 to 1 for 'angry'"));
  EXPECT_THAT(mistake(R"({"scores": {"calm": 0.5, "angry": 1.01}})"), HasSubstr("'angry'"));
  EXPECT_THAT(mistake(R"({"scores": {"calm": 0.5, "angry": "1"}})"), HasSubstr("'angry'"));
  EXPECT_THAT(mistake(R"({"scores": {"calm": 0.5, "angry": null}})"), HasSubstr("'angry'"));
  EXPECT_THAT(mistake(R"({"scores": {"calm": 0.5, "angry": 1, "sad": 0}})"),
              HasSubstr("does not fit"));
  EXPECT_THAT(mistake(R"({"scores": {"calm": 0.5, "angry": 1}, "why": "x"})"),
              HasSubstr("does not fit"));
  EXPECT_THAT(mistake(R"([0.5, 1])"), HasSubstr("does not fit"));
}

TEST(scoring_answers, that_are_garbage_are_refused_without_harm) {
  EXPECT_THAT(mistake("{"), HasSubstr("not the JSON that was asked for"));
  EXPECT_THAT(mistake(""), HasSubstr("not the JSON"));
  EXPECT_THAT(mistake(R"(Sure! {"scores": {"calm": 0.5, "angry": 1}})"), HasSubstr("not the JSON"));
  EXPECT_THAT(mistake(R"({"scores": {"calm": NaN, "angry": 1}})"), HasSubstr("not the JSON"));
  EXPECT_THAT(mistake(std::string(10u << 20, '[')), HasSubstr("not the JSON"));
  EXPECT_THAT(mistake("{\"scores\": " + std::string(100'000, '[') + "}"),
              HasSubstr("not the JSON"));
}

TEST(scoring_answers, with_some_scores_can_be_fallen_back_to) {
  const auto some = answer_check(mood()).check(R"({"scores": {"calm": 0.5}})");
  EXPECT_TRUE(some.usable());
  EXPECT_THAT(some.scores, ElementsAre(Optional(0.5), std::nullopt));
  EXPECT_FALSE(answer_check(mood()).check("{}").usable());
}

TEST(scoring_tasks, have_the_fields_of_the_document) {
  task_payload task{"chunk-0001", 12, 1, 5, "hi", std::make_shared<const block>(mood())};
  EXPECT_EQ(to_json(task).dump(),
            R"({"chunk_id":"chunk-0001","row_index":12,"block_index":1,"col_offset":5,)"
            R"("utterance":"hi","categories":[{"name":"calm"},{"name":"angry"}],"retry_count":0})");
  const auto again = std::move(task).retry("too short");
  EXPECT_EQ(again.retry_count, 1);
  EXPECT_EQ(again.mistake, "too short");
  EXPECT_EQ(again.place(), "row 13, block 1 (mood)");
  validation_result result{"chunk-0001", 12, 1, 5, {0.5, std::nullopt}, "gemini", "flash"};
  EXPECT_EQ(to_json(result).dump(),
            R"({"chunk_id":"chunk-0001","row_index":12,"block_index":1,"col_offset":5,)"
            R"("scores":[0.5,null],"provider":"gemini","model":"flash"})");
}

TEST(scoring_chunks, fail_with_the_first_row_named_unless_the_run_keeps_going) {
  chunk_report report;
  EXPECT_TRUE(std::holds_alternative<succeeded>(outcome_of(report, {}, 1)));
  report.failed = 3;
  report.first_failure = "row 7, block 0 (mood): no";
  const auto end = std::get<failed>(outcome_of(report, {}, 2));
  EXPECT_EQ(end.error, "row 7, block 0 (mood): no (and 2 more)");
  EXPECT_EQ(end.after, 4s);
  EXPECT_FALSE(end.final);
  run_config keep_going;
  keep_going.keep_going = true;
  EXPECT_TRUE(std::holds_alternative<succeeded>(outcome_of(report, keep_going, 1)));
  report.stopped = "the key is dead";
  report.stopped_for_good = true;
  EXPECT_TRUE(std::get<failed>(outcome_of(report, keep_going, 1)).final);
}

TEST(scoring_time_left, is_right_after_a_tenth_of_a_steady_run) {
  // 1000 blocks at 20 a second, flushed in lumps of 50.
  time_left when;
  for (int tick = 0; tick <= 25; ++tick) when.add(tick / 5.0, tick * 4 / 50 * 50);
  ASSERT_TRUE(when.estimate(1000));
  EXPECT_NEAR(*when.estimate(1000), 45, 45 * 0.2);
}

TEST(scoring_time_left, follows_a_run_that_slows_down_and_one_that_was_resumed) {
  time_left when;
  for (int second = 0; second <= 60; ++second) when.add(second, second * 100);
  for (int second = 61; second <= 120; ++second) when.add(second, 6000 + (second - 60) * 10);
  ASSERT_TRUE(when.estimate(7600));
  EXPECT_NEAR(*when.estimate(7600), 100, 20);
  time_left resumed;
  resumed.add(10'000, 5'000);
  EXPECT_FALSE(resumed.estimate(6'000));
  for (int second = 1; second <= 10; ++second) resumed.add(10'000 + second, 5'000 + second * 10);
  EXPECT_NEAR(*resumed.estimate(6'000), 90, 9);
}

TEST(scoring_time_left, of_a_resumed_run_counts_from_its_round) {
  run_status status;
  status.status = "running";
  status.rows = 1'000;
  status.blocks = 2;
  status.processed_blocks = 1'100;
  // It stood still for hours before it was resumed with 1,000 blocks.
  status.seconds = 20'000;
  status.round_began_with = 1'000;
  EXPECT_FALSE(status.eta_seconds());
  status.round_seconds = 10;
  EXPECT_EQ(status.eta_seconds(), 90);
  EXPECT_EQ(to_json(status)["eta_seconds"], 90);
  EXPECT_EQ(to_json(status)["rows_a_second"], 5);
  status.status = "failed";
  EXPECT_FALSE(status.eta_seconds());
}

TEST(scoring_time_left, the_bar_says_what_the_calls_wait_for_and_cost) {
  run_status status;
  status.rows = status.blocks = 1;
  status.cost = 0.125;
  status.limit_rate = 20;
  status.waits_for = "rate";
  EXPECT_THAT(progress_line(status, {}, 10), HasSubstr("cost 0.125  limit 20/s  waits for rate"));
}

TEST(scoring_time_left, the_bar_says_how_far_it_is) {
  run_status status;
  status.rows = 100;
  status.blocks = 2;
  status.processed_blocks = 100;
  status.processed_rows = 50;
  time_left when;
  when.add(0, 0);
  when.add(10, 100);
  const auto line = progress_line(status, when, 10);
  EXPECT_THAT(line, HasSubstr("█████░░░░░  50.0 %  50 of 100 rows  5 rows/s  10s left"));
}

}  // namespace
}  // namespace rowrunner::scoring
