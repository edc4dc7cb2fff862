// How a handler is tested with the test kit: the one of examples/pages, without a database.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rowrunner/testing.hpp>

#include "../../examples/pages/handler.hpp"

namespace {

using rowrunner::coroutine_handler;
using rowrunner::testing::trial;

const coroutine_handler handler = pages::read_book;

TEST(pages_example, each_page_is_a_step_with_its_row) {
  trial book;
  book.columns = {{"title", "atlas"}, {"pages", "3"}};
  const auto run = book.run(handler);
  ASSERT_TRUE(run.succeeded()) << run.error;
  ASSERT_EQ(run.steps.size(), 3U);
  EXPECT_EQ(run.steps[2].name, "page 3");
  ASSERT_EQ(run.steps[2].effects.size(), 1U);
  EXPECT_THAT(run.steps[2].effects[0].params,
              ::testing::ElementsAre("atlas", "3", "words of atlas, page 3"));
  EXPECT_EQ(run.progress.back().done, 3);
}

TEST(pages_example, wherever_an_attempt_breaks_each_page_is_read_once) {
  for (int at = 1; at <= 9; ++at) {
    trial book;
    book.columns = {{"title", "atlas"}, {"pages", "3"}};
    const auto broken = book.fail_at(at, "the disk is full").run(handler);
    EXPECT_EQ(broken.error, "the disk is full");
    const auto again = book.run(handler);
    EXPECT_TRUE(again.succeeded());
    EXPECT_EQ(broken.effects().size() + again.effects().size(), 3U) << at;
  }
}

TEST(pages_example, a_stop_at_any_await_ends_it) {
  for (int at = 1; at <= 9; ++at) {
    trial book;
    book.columns = {{"title", "atlas"}, {"pages", "3"}};
    EXPECT_TRUE(book.stop_at(at).run(handler).stopped) << at;
  }
}

}  // namespace
