// Progress: the newest report wins, few writes, never in the way, and the last one with the end.

#include <gtest/gtest.h>

#include <atomic>
#include <future>

#include "integration/handler_fixture.hpp"

namespace rowrunner::testing {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

class progress : public handler_fixture {
 protected:
  /// Every change of a job's progress, in order.
  progress() {
    db.exec(
        "CREATE TABLE seen (n serial, done bigint);"
        "CREATE FUNCTION see() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
        " INSERT INTO public.seen (done) VALUES (NEW.done); RETURN NULL; END $$;"
        "CREATE TRIGGER see AFTER INSERT OR UPDATE ON rowrunner.progress"
        " FOR EACH ROW EXECUTE FUNCTION see()");
  }
  std::string now() {
    return db.value("SELECT done || '/' || total || ' ' || message FROM rowrunner.progress");
  }
};

TEST_F(progress, a_thousand_reports_are_a_few_writes_in_order_and_the_last_is_there_at_the_end) {
  db.add("a");
  const auto counts = drain([](job& self) -> asio::awaitable<outcome> {
    for (int i = 1; i <= 1000; ++i) {
      co_await self.progress(i, 1000, "part " + std::to_string(i));
      if (i % 250 == 0) co_await self.sleep(1ms);
    }
    co_return succeeded{};
  });
  EXPECT_EQ(counts.succeeded, 1);
  EXPECT_EQ(now(), "1000/1000 part 1000");
  EXPECT_LT(std::stoi(db.value("SELECT count(*) FROM seen")), 20);
  EXPECT_EQ(db.value("SELECT count(*) FROM seen a JOIN seen b ON a.n < b.n AND a.done > b.done"),
            "0");
}

TEST_F(progress, is_seen_while_the_job_runs) {
  db.add("a");
  db.watch("rowrunner.progress");
  std::atomic<bool> gate = false;
  auto one = start([&](job& self) -> asio::awaitable<outcome> {
    co_await self.progress(1, 2, "half");
    while (!gate) co_await self.sleep(2ms);
    co_return failed{"no", {}, true};
  });
  EXPECT_TRUE(db.becomes("SELECT done FROM rowrunner.progress", "1"));
  gate = true;
  EXPECT_TRUE(db.reaches("a", "failed"));
}

// Reports commit asynchronously, so a crash of the server may take back one that was written.
TEST_F(progress, what_is_lost_after_it_was_written_is_there_at_the_end) {
  db.add("a");
  db.watch("rowrunner.progress");
  std::atomic<bool> gate = false;
  worker_thread one(worker_thread::options_for(db), [&](worker& w) {
    w.add(test_kind(), [&](job& self) -> asio::awaitable<outcome> {
      co_await self.progress(1, 2, "half");
      while (!gate) co_await self.sleep(2ms);
      co_return succeeded{};
    });
  });
  ASSERT_TRUE(db.becomes("SELECT done FROM rowrunner.progress", "1"));
  db.exec("DELETE FROM rowrunner.progress");
  gate = true;
  EXPECT_TRUE(db.reaches("a", "succeeded"));
  EXPECT_EQ(now(), "1/2 half");
}

TEST_F(progress, returns_while_the_table_is_locked_and_is_written_with_the_end) {
  db.add("a");
  std::atomic<bool> locked = false;
  std::promise<void> reported;
  auto one = start([&](job& self) -> asio::awaitable<outcome> {
    while (!locked) co_await self.sleep(2ms);
    for (int i = 1; i <= 5; ++i) co_await self.progress(i, 5, "");
    reported.set_value();
    co_return succeeded{};
  });
  ASSERT_TRUE(db.reaches("a", "processing"));
  pqxx::connection other(db.url());
  pqxx::work tx(other);
  tx.exec("LOCK TABLE rowrunner.progress IN ACCESS EXCLUSIVE MODE");
  locked = true;
  reported.get_future().get();
  tx.commit();
  EXPECT_TRUE(db.reaches("a", "succeeded"));
  EXPECT_EQ(now(), "5/5 ");
  EXPECT_EQ(db.value("SELECT attempts FROM test_jobs"), "0");
}

TEST_F(progress, of_a_lost_lease_is_refused_and_stops_the_job) {
  db.add("a");
  std::atomic<bool> gate = false;
  std::promise<void> stopped;
  auto one = start([&](job& self) -> asio::awaitable<outcome> {
    while (!gate) co_await self.sleep(2ms);
    co_await self.progress(1, 2, "late");
    try {
      co_await self.sleep(1h);
    } catch (const boost::system::system_error&) {
      stopped.set_value();
      throw;
    }
    co_return succeeded{};
  });
  ASSERT_TRUE(db.reaches("a", "processing"));
  db.exec("UPDATE test_jobs SET status = 'cancelled'");
  gate = true;
  stopped.get_future().get();
  EXPECT_EQ(one.stop().refused, 1);
  EXPECT_EQ(db.value("SELECT count(*) FROM rowrunner.progress"), "0");
}

TEST_F(progress, of_many_jobs_takes_one_statement_a_kind) {
  db.exec("INSERT INTO test_jobs (name) SELECT 'n' || i FROM generate_series(1, 100) i");
  db.exec(
      "CREATE TABLE writes (x int); CREATE FUNCTION noted() RETURNS trigger LANGUAGE plpgsql AS"
      " $$ BEGIN INSERT INTO public.writes VALUES (1); RETURN NULL; END $$;"
      "CREATE TRIGGER noted AFTER INSERT ON rowrunner.progress"
      " FOR EACH STATEMENT EXECUTE FUNCTION noted()");
  int running = 0;
  const handler report = [&](job& self) -> asio::awaitable<outcome> {
    ++running;
    while (running < 100) co_await self.sleep(1ms);
    co_await self.progress(1, 1, "");
    co_return succeeded{};
  };
  EXPECT_EQ(drain(report, concurrent(100)).succeeded, 100);
  EXPECT_EQ(db.value("SELECT count(*) FROM rowrunner.progress"), "100");
  EXPECT_LT(std::stoi(db.value("SELECT count(*) FROM writes")), 10);
}

// One statement with a report of each of very many jobs would slow the ends of others down.
TEST_F(progress, of_very_many_jobs_is_written_a_part_at_a_time_and_every_job_has_its_turn) {
  constexpr int jobs = 600;
  db.exec("INSERT INTO test_jobs (name) SELECT 'n' || i FROM generate_series(1, 600) i");
  db.exec(
      "CREATE TABLE writes (jobs int); CREATE FUNCTION noted() RETURNS trigger LANGUAGE plpgsql AS"
      " $$ BEGIN INSERT INTO public.writes SELECT count(*) FROM added; RETURN NULL; END $$;"
      "CREATE TRIGGER noted AFTER INSERT ON rowrunner.progress REFERENCING NEW TABLE AS added"
      " FOR EACH STATEMENT EXECUTE FUNCTION noted()");
  db.watch("rowrunner.progress");
  int running = 0;
  std::atomic<bool> gate = false;
  const handler report = [&](job& self) -> asio::awaitable<outcome> {
    ++running;
    while (running < jobs) co_await self.sleep(1ms);
    for (int i = 1; !gate; ++i) {
      co_await self.progress(i, i, "");
      co_await self.sleep(10ms);
    }
    co_return succeeded{};
  };
  const auto kind = concurrent(jobs);
  worker_thread one(worker_thread::options_for(db), [&](worker& w) { w.add(kind, report); });
  EXPECT_TRUE(db.becomes("SELECT count(*) FROM rowrunner.progress", "600"));
  EXPECT_LE(std::stoi(db.value("SELECT max(jobs) FROM writes")), 250);
  gate = true;
}

// A constraint that somebody has added, or a character that the database has no code for.
TEST_F(progress, that_the_database_refuses_is_logged_once_and_does_not_touch_others_or_the_end) {
  db.exec("ALTER TABLE rowrunner.progress ADD CONSTRAINT polite CHECK (message <> 'bad')");
  db.watch("rowrunner.progress");
  db.add("bad");
  db.add("good");
  std::atomic<bool> good_is_seen = false;
  auto one = start([&](job& self) -> asio::awaitable<outcome> {
    const auto name = self.text("name");
    co_await self.progress(1, 2, name);
    while (!good_is_seen) {
      co_await self.sleep(2ms);
      if (name == "bad") co_await self.progress(1, 2, name);
    }
    co_await self.progress(2, 2, name);
    co_return succeeded{};
  });
  EXPECT_TRUE(db.becomes("SELECT done || ' ' || message FROM rowrunner.progress", "1 good"));
  good_is_seen = true;
  EXPECT_TRUE(db.reaches("bad", "succeeded"));
  EXPECT_TRUE(db.reaches("good", "succeeded"));
  EXPECT_EQ(one.stop().succeeded, 2);
  EXPECT_EQ(now(), "2/2 good");
  EXPECT_EQ(attempts(), "0");
  EXPECT_EQ(log.count("the database refuses the progress of a job"), 1) << log.text();
  EXPECT_EQ(log.count("violates check constraint"), 1) << log.text();
}

// Jobs that end with their report: it is written with the end, or the end without it.
TEST_F(progress, that_the_database_refuses_at_the_end_costs_no_other_job_its_own) {
  db.exec(
      "ALTER TABLE rowrunner.progress ADD CONSTRAINT polite CHECK (message <> 'n17');"
      "INSERT INTO test_jobs (name) SELECT 'n' || i FROM generate_series(1, 30) i");
  int running = 0;
  const handler report = [&](job& self) -> asio::awaitable<outcome> {
    ++running;
    while (running < 30) co_await self.sleep(1ms);
    co_await self.progress(1, 1, self.text("name"));
    succeeded end;
    end.effects.push_back({"INSERT INTO effects (name) VALUES ($1)", {self.text("name")}});
    co_return end;
  };
  EXPECT_EQ(drain(report, concurrent(30)).succeeded, 30);
  EXPECT_EQ(db.value("SELECT count(*) FROM rowrunner.progress"), "29");
  EXPECT_EQ(db.value("SELECT count(DISTINCT name) FROM effects"), "30");
  EXPECT_EQ(attempts(), "0");
  EXPECT_EQ(log.count("the database refuses the progress of a job"), 1) << log.text();
  EXPECT_EQ(log.count("end of a job"), 0) << log.text();
}

}  // namespace
}  // namespace rowrunner::testing
