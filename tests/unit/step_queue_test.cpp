#include "worker/step_queue.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>

namespace rowrunner {
namespace {

using ::testing::SizeIs;
using namespace std::chrono_literals;
using answer = pending_step::answer;

class steps_that_wait : public ::testing::Test {
 protected:
  step_ptr add(const std::string& name) {
    auto step = std::make_shared<pending_step>(io.get_executor(), job, name, step_result(1));
    queue.add(step);
    return step;
  }

  boost::asio::io_context io;
  job_ptr job = std::make_shared<running_job>();
  step_queue queue;
  const step_queue::clock::time_point start{1h};
};

TEST_F(steps_that_wait, are_taken_together_up_to_a_limit) {
  for (std::size_t i = 0; i <= step_queue::largest_batch; ++i) add(std::to_string(i));
  EXPECT_THAT(queue.due(start), ::testing::ElementsAre(SizeIs(step_queue::largest_batch)));
  EXPECT_THAT(queue.due(start), ::testing::ElementsAre(SizeIs(1)));
  EXPECT_THAT(queue.due(start), SizeIs(0));
  EXPECT_EQ(queue.next_due(), step_queue::clock::time_point::max());
}

TEST_F(steps_that_wait, are_not_sent_if_the_handler_left_nor_twice_in_one_batch) {
  add("a");
  add("a");
  add("b")->abandoned = true;
  EXPECT_THAT(queue.due(start), ::testing::ElementsAre(SizeIs(1)));
  EXPECT_THAT(queue.due(start), ::testing::ElementsAre(SizeIs(1)));
  EXPECT_THAT(queue.due(start), SizeIs(0));
}

TEST_F(steps_that_wait, one_bad_step_of_many_is_found_and_fails_alone) {
  std::vector<step_ptr> all;
  for (int i = 0; i < 100; ++i) all.push_back(add(std::to_string(i)));
  int writes = 0;
  for (auto due = queue.due(start); !due.empty(); due = queue.due(start)) {
    for (const auto& batch : due) {
      ++writes;
      const bool bad = std::find(batch.begin(), batch.end(), all[42]) != batch.end();
      if (bad) {
        queue.refused(batch, true, "no", start);
      } else {
        for (const auto& step : batch) step->answer_with(answer::stored);
      }
    }
  }
  EXPECT_LE(writes, 16);
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(all[static_cast<std::size_t>(i)]->answered,
              i == 42 ? answer::refused : answer::stored);
  }
  EXPECT_EQ(all[42]->reason, "no");
}

TEST_F(steps_that_wait, what_may_pass_is_tried_again_after_longer_and_longer_pauses) {
  const auto step = add("a");
  auto now = start;
  std::vector<step_queue::clock::duration> pauses;
  for (int i = 0; i < 8; ++i) {
    const auto due = queue.due(now);
    ASSERT_THAT(due, SizeIs(1));
    queue.refused(due[0], false, "locked", now);
    EXPECT_THAT(queue.due(now), SizeIs(0));
    pauses.push_back(queue.next_due() - now);
    now = queue.next_due();
  }
  EXPECT_EQ(step->answered, answer::none);
  EXPECT_EQ(pauses.front(), 50ms);
  EXPECT_EQ(pauses.back(), 1600ms);
}

}  // namespace
}  // namespace rowrunner
