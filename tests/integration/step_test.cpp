// Steps with their effects: in one transaction under the lease, once, and many at a time.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <condition_variable>
#include <future>
#include <mutex>
#include <set>

#include "integration/handler_fixture.hpp"
#include "support/live_bytes.hpp"

namespace rowrunner::testing {
namespace {

namespace asio = boost::asio;
using namespace asio::experimental::awaitable_operators;
using ::testing::HasSubstr;
using namespace std::chrono_literals;
using body = std::function<asio::awaitable<step_result>()>;

effect write_effect(const std::string& name) {
  return {"INSERT INTO effects (name) VALUES ($1)", {name}};
}

body giving(nlohmann::json value, std::vector<effect> effects = {}) {
  return
      [value, effects]() -> asio::awaitable<step_result> { co_return step_result(value, effects); };
}

using steps = handler_fixture;

TEST_F(steps, an_effect_happens_with_its_step_and_not_again_in_a_retry) {
  db.add("a");
  int runs = 0;
  const auto counts = drain([&](job& self) -> asio::awaitable<outcome> {
    const body page = [&]() -> asio::awaitable<step_result> {
      ++runs;
      co_return step_result(7, {write_effect("page")});
    };
    const auto result = co_await self.step("page", page);
    if (result != 7) co_return final_failure("got " + result.dump());
    if (self.attempt() == 1) throw std::runtime_error("again");
    co_return succeeded{};
  });
  EXPECT_EQ(counts.succeeded, 1);
  EXPECT_EQ(runs, 1);
  EXPECT_EQ(effects(), "page");
}

TEST_F(steps, an_effect_that_is_refused_fails_the_attempt_and_nothing_is_half_written) {
  db.add("a", "ok", 0, 0, 1);
  drain([](job& self) -> asio::awaitable<outcome> {
    const auto page = giving(1, {write_effect("page"), {"INSERT INTO effects VALUES (NULL)", {}}});
    co_await self.step("page", page);
    co_return succeeded{};
  });
  EXPECT_EQ(db.status("a"), "failed");
  EXPECT_THAT(error(), HasSubstr("step page was refused by the database"));
  EXPECT_THAT(error(), HasSubstr("null value in column"));
  EXPECT_EQ(db.value("SELECT count(*) FROM effects"), "0");
  EXPECT_EQ(db.value("SELECT count(*) FROM rowrunner.steps"), "0");
}

TEST_F(steps, one_that_is_refused_does_not_fail_those_beside_it) {
  for (int i = 0; i < 30; ++i) db.add("j" + std::to_string(i), "ok", 0, i == 17 ? 1 : 0, 1);
  const handler store = [](job& self) -> asio::awaitable<outcome> {
    const bool bad = self.get<int>("times") == 1;
    auto name = bad ? std::nullopt : std::optional(self.text("name"));
    const auto page = giving(1, {{"INSERT INTO effects (name) VALUES ($1)", {name}}});
    co_await self.step("page", page);
    co_return succeeded{};
  };
  const auto counts = drain(store, concurrent(30));
  EXPECT_EQ(counts.succeeded, 29);
  EXPECT_EQ(counts.failed, 1);
  EXPECT_EQ(db.value("SELECT count(*) FROM effects"), "29");
  EXPECT_EQ(db.value("SELECT count(*) FROM rowrunner.steps"), "29");
}

TEST_F(steps, pages_side_by_side_are_stored_together) {
  db.add("a");
  constexpr int pages = 200;
  int done = 0;
  const auto counts = drain([&](job& self) -> asio::awaitable<outcome> {
    const auto executor = co_await asio::this_coro::executor;
    asio::steady_timer all(executor, asio::steady_timer::time_point::max());
    const auto page = [&](std::string name) -> asio::awaitable<void> {
      const auto draw = giving(name, {write_effect(name)});
      co_await self.step(name, draw);
      if (++done == pages) all.cancel();
    };
    for (int i = 0; i < pages; ++i) {
      asio::co_spawn(executor, page("p" + std::to_string(i)), asio::detached);
    }
    co_await all.async_wait(asio::as_tuple(asio::use_awaitable));
    co_return succeeded{};
  });
  EXPECT_EQ(counts.succeeded, 1);
  EXPECT_EQ(db.value("SELECT count(DISTINCT name) FROM effects"), std::to_string(pages));
  EXPECT_EQ(db.value("SELECT count(*) FROM rowrunner.steps"), std::to_string(pages));
  EXPECT_LT(std::stoi(db.value("SELECT count(DISTINCT xmin::text) FROM rowrunner.steps")), 20);
}

TEST_F(steps, the_same_step_run_twice_at_once_counts_once) {
  db.add("a");
  const auto counts = drain([&](job& self) -> asio::awaitable<outcome> {
    const auto one = giving(1, {write_effect("one")});
    const auto two = giving(2, {write_effect("two")});
    const auto [first, second] = co_await (self.step("s", one) && self.step("s", two));
    if (first != second) co_return final_failure("two results");
    co_return succeeded{};
  });
  EXPECT_EQ(counts.succeeded, 1) << error();
  EXPECT_EQ(db.value("SELECT count(*) FROM effects"), "1");
}

TEST_F(steps, text_that_cannot_be_stored_is_replaced_and_not_a_failure) {
  db.add("a");
  const auto counts = drain([](job& self) -> asio::awaitable<outcome> {
    nlohmann::json odd;
    odd[std::string("k\0y", 3)] = std::string("a\0b\xff", 4);
    const auto page = giving(odd, {write_effect(std::string("x\0y", 3))});
    const auto got = co_await self.step("page", page);
    if (got.at("k\uFFFDy") != "a\uFFFDb\uFFFD") co_return final_failure(got.dump());
    co_await self.progress(1, 1, std::string("half\0\xfe", 6));
    if (self.attempt() == 1) throw std::runtime_error(std::string("bad\0\xff", 5));
    co_return succeeded{};
  });
  EXPECT_EQ(counts.succeeded, 1) << error();
  EXPECT_EQ(effects(), "x\uFFFDy");
  EXPECT_EQ(db.value("SELECT result ->> 'k\uFFFDy' FROM rowrunner.steps"), "a\uFFFDb\uFFFD");
  EXPECT_EQ(db.value("SELECT message FROM rowrunner.progress"), "half\uFFFD\uFFFD");
}

TEST_F(steps, a_name_that_is_too_long_is_refused_before_the_step_runs) {
  db.add("a", "ok", 0, 0, 1);
  bool ran = false;
  drain([&](job& self) -> asio::awaitable<outcome> {
    const body page = [&]() -> asio::awaitable<step_result> {
      ran = true;
      co_return step_result(1);
    };
    co_await self.step(std::string(10'240, 'x'), page);
    co_return succeeded{};
  });
  EXPECT_FALSE(ran);
  EXPECT_THAT(error(), HasSubstr("has 10240 bytes; at most 1000"));
}

TEST_F(steps, effects_run_under_the_search_path_of_the_user) {
  db.exec(
      "CREATE SCHEMA mine; CREATE TABLE mine.pages (name text);"
      " DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET search_path = mine',"
      " current_database()); END $$");
  db.add("a");
  drain([](job& self) -> asio::awaitable<outcome> {
    const auto page = giving(1, {{"INSERT INTO pages VALUES ('p')", {}}});
    co_await self.step("page", page);
    co_return succeeded{};
  });
  EXPECT_EQ(db.value("SELECT name FROM mine.pages"), "p");
}

TEST_F(steps, a_job_whose_row_another_session_has_locked_waits_and_is_not_charged) {
  db.add("a");
  db.add("b");
  std::atomic<bool> gate = false;
  auto one = start([&](job& self) -> asio::awaitable<outcome> {
    while (!gate) co_await self.sleep(2ms);
    const auto page = giving(1, {write_effect(self.text("name"))});
    co_await self.step("page", page);
    co_return succeeded{};
  });
  ASSERT_TRUE(db.reaches("a", "processing"));
  ASSERT_TRUE(db.reaches("b", "processing"));
  pqxx::connection other(db.url());
  pqxx::work tx(other);
  tx.exec("SELECT FROM test_jobs WHERE name = 'a' FOR UPDATE");
  gate = true;
  EXPECT_TRUE(db.reaches("b", "succeeded"));
  EXPECT_EQ(effects(), "b");
  tx.commit();
  EXPECT_TRUE(db.reaches("a", "succeeded"));
  EXPECT_EQ(effects(), "a b");
  EXPECT_EQ(db.value("SELECT sum(attempts) FROM test_jobs"), "0");
}

// The handlers are held back, and what they hold is all that there is besides the batch on its way:
// however often that is tried, it is not kept as text.
TEST_F(steps, a_table_that_is_locked_costs_no_more_memory_with_time) {
  constexpr int side_by_side = 40, pages = 80;
  constexpr std::size_t bytes_of_a_page = 256 * 1024;
  db.add("a");
  pqxx::connection other(db.url());
  std::optional<pqxx::work> lock(other);
  lock->exec("LOCK TABLE rowrunner.steps IN SHARE MODE");
  std::atomic<int> begun = 0;
  auto one = start([&](job& self) -> asio::awaitable<outcome> {
    const auto executor = co_await asio::this_coro::executor;
    asio::steady_timer all(executor, asio::steady_timer::time_point::max());
    int ended = 0;
    const auto read_pages = [&]() -> asio::awaitable<void> {
      while (begun < pages) {
        const auto page = std::to_string(++begun);
        const auto text = giving(std::string(bytes_of_a_page, 'x'), {write_effect(page)});
        co_await self.step(page, text);
      }
      if (++ended == side_by_side) all.cancel();
    };
    for (int i = 0; i < side_by_side; ++i) asio::co_spawn(executor, read_pages(), asio::detached);
    co_await all.async_wait(asio::as_tuple(asio::use_awaitable));
    co_return succeeded{};
  });
  const auto most_at = [&](std::size_t tries) {
    memory_growth growth;
    std::set<std::string> seen;
    while (seen.size() < tries) {
      seen.insert(
          db.value("SELECT query_start FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
                   " AND application_name = 'rowrunner ends'"
                   " AND datname = current_database()"));
      growth.look();
    }
    return growth.bytes();
  };
  while (begun < side_by_side) std::this_thread::yield();
  most_at(4);  // the first batch is the largest one
  // A text kept at each of the twelve tries would come to twelve times what the handlers hold.
  EXPECT_LT(most_at(12), 4 * side_by_side * bytes_of_a_page);
  EXPECT_EQ(begun, side_by_side) << "no handler goes on with the next page";
  lock.reset();
  EXPECT_TRUE(db.reaches("a", "succeeded"));
  EXPECT_EQ(db.value("SELECT count(*) || ' ' || sum(length(result #>> '{}')) FROM rowrunner.steps"),
            std::to_string(pages) + " " + std::to_string(pages * bytes_of_a_page));
  EXPECT_EQ(db.value("SELECT count(DISTINCT name) FROM effects"), std::to_string(pages));
}

TEST_F(steps, of_a_lost_lease_are_refused_and_stop_the_job) {
  db.add("a");
  std::atomic<bool> gate = false;
  std::promise<void> stopped;
  auto one = start([&](job& self) -> asio::awaitable<outcome> {
    while (!gate) co_await self.sleep(2ms);
    const auto page = giving(1, {write_effect("late")});
    try {
      co_await self.step("page", page);
    } catch (const job_stopped&) {
      stopped.set_value();
      throw;
    }
    co_return succeeded{};
  });
  ASSERT_TRUE(db.reaches("a", "processing"));
  db.exec("UPDATE test_jobs SET status = 'cancelled' WHERE name = 'a'");
  gate = true;
  stopped.get_future().get();
  EXPECT_EQ(one.stop().refused, 1);
  EXPECT_EQ(db.value("SELECT count(*) FROM effects"), "0");
  EXPECT_EQ(db.value("SELECT count(*) FROM rowrunner.steps"), "0");
}

// A timer beside a step, as around one page of many: the page is given up, the job goes on.
TEST_F(steps, a_timer_beside_a_step_cancels_what_runs_in_it_and_the_job_goes_on) {
  db.add("a");
  const auto counts = drain([](job& self) -> asio::awaitable<outcome> {
    std::atomic<bool> started = false;
    bool unwound = false;
    // A timer that never runs out before there is something to cancel.
    const auto limit = [&]() -> asio::awaitable<void> {
      while (!started) co_await self.sleep(1ms);
    };
    const body endless = [&]() -> asio::awaitable<step_result> {
      started = true;
      try {
        co_await self.sleep(1h);
      } catch (const boost::system::system_error&) {
        unwound = true;
        throw;
      }
      co_return step_result(1);
    };
    const auto first = co_await (self.step("slow", endless) || limit());
    if (first.index() != 1 || !unwound) co_return final_failure("the step was not cancelled");

    started = false;
    const std::function<int(std::stop_token)> work = [&](const std::stop_token& stop) {
      started = true;
      std::mutex lock;
      std::unique_lock hold(lock);
      std::condition_variable_any told;
      told.wait(hold, stop, [] { return false; });
      return 1;
    };
    const auto second = co_await (self.blocking(work) || limit());
    if (second.index() != 1) co_return final_failure("the thread was not told to stop");
    const auto after = giving(2);
    co_await self.step("after", after);
    co_await self.progress(1, 1, "after");
    co_return succeeded{};
  });
  EXPECT_EQ(counts.succeeded, 1) << error();
  EXPECT_EQ(db.value("SELECT string_agg(step, ' ') FROM rowrunner.steps"), "after");
}

// The step waits for the database; the handler does not wait for the step.
TEST_F(steps, a_timer_beside_a_step_that_waits_for_the_database_wins) {
  db.add("a");
  std::atomic<bool> locked = false, gave_up = false;
  auto one = start([&](job& self) -> asio::awaitable<outcome> {
    while (!locked) co_await self.sleep(2ms);
    asio::steady_timer limit(co_await asio::this_coro::executor, 50ms);
    const auto page = giving(1, {write_effect("page")});
    const auto which = co_await (self.step("page", page) || limit.async_wait(asio::use_awaitable));
    gave_up = which.index() == 1;
    co_return succeeded{};
  });
  ASSERT_TRUE(db.reaches("a", "processing"));
  pqxx::connection other(db.url());
  pqxx::work tx(other);
  tx.exec("SELECT FROM test_jobs FOR NO KEY UPDATE");
  locked = true;
  while (!gave_up) std::this_thread::yield();
  tx.commit();
  EXPECT_TRUE(db.reaches("a", "succeeded"));
  EXPECT_EQ(db.value("SELECT count(*) FROM rowrunner.steps"),
            db.value("SELECT count(*) FROM effects"));
}

TEST_F(steps, a_rescue_charges_no_attempt_if_the_job_stored_a_step_since_its_claim) {
  const auto id = db.add("a", "ok", 0, 0, 2);
  const auto lose = [&](bool with_step) {
    const auto lease =
        db.value("SELECT rowrunner.claim('test', 'lost', 1, interval '1 hour') ->> 'lease'");
    if (with_step) {
      db.value("SELECT rowrunner.step('test', '" + id + "', " + lease + ", 's' || " + lease + ")");
    }
    db.exec("UPDATE rowrunner.leases SET expires_at = now()");
    return db.value(
        "SELECT r.status || ' ' || r.attempts FROM rowrunner.kinds k,"
        " rowrunner.rescue(k.id) r WHERE k.kind = 'test'");
  };
  for (int i = 0; i < 5; ++i) EXPECT_EQ(lose(true), "queued 0");
  EXPECT_EQ(db.value("SELECT last_error FROM test_jobs"), "worker lost was lost");
  EXPECT_EQ(db.value("SELECT count(*) || ' ' || max(attempt) FROM rowrunner.attempts"), "5 1");
  // The steps of earlier claims do not count.
  EXPECT_EQ(lose(false), "queued 1");
  EXPECT_EQ(lose(false), "failed 2");
}

TEST_F(steps, effects_commit_with_every_end_that_a_handler_returns) {
  db.add("cancelled");
  db.add("failed", "ok", 0, 0, 1);
  db.add("retried");
  db.add("snoozed");
  bool has_snoozed = false;
  const auto counts = drain([&](job& self) -> asio::awaitable<outcome> {
    const auto& name = self.text("name");
    std::vector<effect> effects{write_effect(name)};
    if (name == "cancelled") co_return cancelled{"cancelled: no", effects};
    if (name == "failed") co_return failed{"no", {}, false, effects};
    if (name == "retried" && self.attempt() == 1) co_return failed{"no", 1ms, false, effects};
    if (name == "snoozed" && !std::exchange(has_snoozed, true)) co_return snoozed{1ms, effects};
    co_return succeeded{};
  });
  EXPECT_EQ(counts.succeeded, 2);
  EXPECT_EQ(effects(), "cancelled failed retried snoozed");
}

TEST_F(steps, an_effect_that_is_refused_at_any_end_fails_the_attempt_with_the_reason) {
  db.add("cancelled", "ok", 0, 0, 1);
  db.add("failed", "ok", 0, 0, 5);
  db.add("snoozed", "ok", 0, 0, 1);
  const auto counts = drain([](job& self) -> asio::awaitable<outcome> {
    const auto& name = self.text("name");
    std::vector<effect> effects{{"INSERT INTO effects (name) VALUES (NULL)", {}}};
    if (name == "cancelled") co_return cancelled{"cancelled: no", effects};
    if (name == "failed") co_return failed{"no use", {}, self.attempt() == 2, effects};
    co_return snoozed{1ms, effects};
  });
  EXPECT_EQ(counts.failed, 3);
  EXPECT_EQ(counts.retried, 1);
  EXPECT_EQ(db.value("SELECT count(*) FROM test_jobs WHERE last_error LIKE"
                     " '%refused by the database%null value%'"),
            "3");
  EXPECT_THAT(db.value("SELECT last_error FROM test_jobs WHERE name = 'failed'"),
              ::testing::StartsWith("no use; "));
}

}  // namespace
}  // namespace rowrunner::testing
