// The test kit: handlers run on given columns, without a database.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <rowrunner/enqueue.hpp>
#include <rowrunner/testing.hpp>

#include "common/log.hpp"

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

/// A handler with statements of its own: for each row that it reads a child comes to exist, and a
/// row that is none.
struct fan_out {
  trial one;
  std::vector<std::string> asked;
  asio::io_context io;
  services given{io.get_executor(),
                 one.database([this](const std::string& sql, const query_params& params) {
                   asked.push_back(sql + " " + params.at(0).value_or("NULL"));
                   query_result found;
                   found.rows = {{"atlas"}, {"a \"b\", c"}};
                   return found;
                 }),
                 std::make_shared<logger>(log_level::off)};
  coroutine_handler handler = [this](job& self) -> asio::awaitable<outcome> {
    const auto found = co_await given.idempotent_query(self, "SELECT titles", self.id());
    job_table parts{"part", "public.\"odd (table\"", {{"id", "uuid"}, {"a \"b\", c", "text"}}, ""};
    parts.columns.push_back({"priority", "smallint"});
    succeeded end;
    for (const auto& row : found.rows) {
      new_job child;
      child.columns["a \"b\", c"] = row[0];
      child.priority = 7;
      child.delay = 90s;
      end.effects.push_back(enqueue_effect(parts, child));
    }
    end.effects.push_back({"INSERT INTO notes (id) VALUES ($1)", {self.id()}});
    co_await given.query("UPDATE seen", "now");
    co_return end;
  };
};

TEST(trial, tells_the_children_among_the_effects) {
  fan_out of;
  const auto run = of.one.run(of.handler);
  ASSERT_TRUE(run.succeeded()) << run.error;
  EXPECT_EQ(run.effects().size(), 3U);
  const auto children = run.children();
  ASSERT_EQ(children.size(), 2U);
  EXPECT_EQ(children[1].table, "public.\"odd (table\"");
  EXPECT_EQ(children[1].id.size(), 36U);
  const trial::columns_map expected{
      {"a \"b\", c", "a \"b\", c"}, {"priority", "7"}, {"run_at", "90000"}};
  EXPECT_EQ(children[1].columns, expected);
  EXPECT_EQ(run.awaits, 2);
  EXPECT_THAT(of.asked, ::testing::ElementsAre("SELECT titles " + of.one.id, "UPDATE seen now"));
}

TEST(trial, statements_of_the_handler_fail_and_are_stopped_as_told) {
  for (int at = 1; at <= 2; ++at) {
    fan_out of;
    const auto broken = of.one.fail_at(at, "the table is gone").run(of.handler);
    EXPECT_TRUE(broken.failed());
    EXPECT_EQ(broken.error, "the table is gone");
    EXPECT_EQ(of.asked.size(), at - 1U) << "the statement did not take effect";
    EXPECT_TRUE(of.one.stop_at(at).run(of.handler).stopped);
    EXPECT_TRUE(of.one.run(of.handler).succeeded());
  }
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
