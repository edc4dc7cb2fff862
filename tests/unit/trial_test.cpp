// The test kit: handlers run on given columns, without a database.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <rowrunner/testing.hpp>

namespace rowrunner::testing {
namespace {

namespace asio = boost::asio;
using ::testing::HasSubstr;
using namespace std::chrono_literals;
using body = std::function<asio::awaitable<step_result>()>;

/// Two pages, each a step with an effect, a pause between them.
asio::awaitable<outcome> two_pages(job& self) {
  const int pages = self.get<int>("pages");
  for (int page = 1; page <= pages; ++page) {
    const body draw = [&]() -> asio::awaitable<step_result> {
      co_return step_result("page " + std::to_string(page),
                            {{"INSERT INTO pages VALUES ($1)", {std::to_string(page)}}});
    };
    co_await self.step("page" + std::to_string(page), draw);
    co_await self.progress(page, pages, "drawn");
    co_await self.sleep(1h);
  }
  const int checked = co_await self.blocking([&] { return pages; });
  succeeded end;
  end.effects.push_back({"UPDATE documents SET pages = $1", {std::to_string(checked)}});
  co_return end;
}

trial of_two_pages() {
  trial one;
  one.columns = {{"pages", "2"}};
  return one;
}

TEST(trial, records_steps_progress_effects_and_the_outcome) {
  auto one = of_two_pages();
  const auto run = one.run(coroutine_handler(two_pages));
  ASSERT_TRUE(run.succeeded()) << run.error;
  ASSERT_EQ(run.steps.size(), 2U);
  EXPECT_EQ(run.steps[1].name, "page2");
  EXPECT_EQ(run.steps[1].result, "page 2");
  ASSERT_EQ(run.progress.size(), 2U);
  EXPECT_EQ(run.progress[1].done, 2);
  ASSERT_EQ(run.effects().size(), 3U);
  EXPECT_EQ(run.effects()[2].params[0], "2");
  EXPECT_EQ(run.awaits, 7);
  EXPECT_EQ(one.now.time_since_epoch(), 2h);
}

TEST(trial, stored_steps_are_not_run) {
  auto one = of_two_pages();
  one.stored["page1"] = "page 1";
  const auto run = one.run(coroutine_handler(two_pages));
  ASSERT_EQ(run.steps.size(), 1U);
  EXPECT_EQ(run.steps[0].name, "page2");
}

TEST(trial, a_failure_at_any_await_is_followed_by_an_attempt_that_goes_on) {
  for (int at = 1; at <= 7; ++at) {
    auto one = of_two_pages();
    const auto broken = one.fail_at(at, "boom").run(coroutine_handler(two_pages));
    EXPECT_TRUE(broken.failed()) << at;
    EXPECT_EQ(broken.error, "boom") << at;
    EXPECT_EQ(one.attempt, 2);
    const auto again = one.run(coroutine_handler(two_pages));
    EXPECT_TRUE(again.succeeded()) << at;
    EXPECT_EQ(broken.steps.size() + again.steps.size(), 2U) << at;
  }
}

TEST(trial, a_stop_at_any_await_ends_the_handler_uncharged) {
  for (int at = 1; at <= 7; ++at) {
    auto one = of_two_pages();
    const auto run = one.stop_at(at).run(coroutine_handler(two_pages));
    EXPECT_TRUE(run.stopped) << at;
    EXPECT_FALSE(run.returned) << at;
    EXPECT_EQ(run.awaits, at);
    EXPECT_EQ(one.attempt, 1);
  }
}

TEST(trial, runs_blocking_handlers) {
  trial one;
  one.columns = {{"name", "a"}};
  const blocking_handler handler = [](blocking_job& self) -> outcome {
    const auto got = self.step("only", [&] {
      return step_result(self.text("name"), {{"INSERT INTO made VALUES ($1)", {"a"}}});
    });
    self.progress(1, 1, got.get<std::string>());
    return succeeded{};
  };
  const auto run = one.run(handler);
  ASSERT_TRUE(run.succeeded()) << run.error;
  EXPECT_EQ(run.steps.at(0).effects.size(), 1U);
  EXPECT_EQ(run.progress.at(0).message, "a");
  one.stored.clear();
  EXPECT_TRUE(one.stop_at(2).run(handler).stopped);
}

TEST(trial, a_column_of_the_wrong_type_fails_the_attempt_and_names_it) {
  trial one;
  one.columns = {{"pages", "many"}};
  const auto run = one.run(coroutine_handler(two_pages));
  EXPECT_TRUE(run.failed());
  EXPECT_EQ(run.error, "column pages is \"many\", which is not a 32-bit integer");
  one.columns = {};
  EXPECT_THAT(one.run(coroutine_handler(two_pages)).error, HasSubstr("is not among those of kind"));
}

TEST(trial, a_handler_that_hangs_is_an_error_of_the_test) {
  trial one;
  one.patience = 20ms;
  const coroutine_handler hangs = [](job&) -> asio::awaitable<outcome> {
    asio::steady_timer never(co_await asio::this_coro::executor, 1h);
    co_await never.async_wait(asio::use_awaitable);
    co_return succeeded{};
  };
  EXPECT_THROW(one.run(hangs), std::runtime_error);
}

}  // namespace
}  // namespace rowrunner::testing
