// A COMMIT that never arrives, or whose answer is lost: what a job wrote with it happens once.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <rowrunner/enqueue.hpp>

#include "chaos/proxy/fault_proxy.hpp"
#include "support/log_lines.hpp"
#include "support/worker_thread.hpp"

namespace rowrunner::chaos {
namespace {

namespace asio = boost::asio;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using namespace std::chrono_literals;

std::string make_folder() {
  std::string name = ::testing::TempDir() + "/lostXXXXXX";
  return mkdtemp(name.data());
}

/// Which way the COMMIT is cut: to-server, and it never happens; to-client, and nobody is told.
class lost_commit : public ::testing::TestWithParam<const char*> {
 protected:
  ~lost_commit() override { std::filesystem::remove_all(folder); }

  /// The next transaction with that statement, once.
  void cut(const std::string& statement) {
    proxy.tell(std::string("cut a ") + GetParam() + " commit 1 " + statement);
  }
  worker_counts drain(const std::function<asio::awaitable<outcome>(job&)>& run) {
    auto options = testing::worker_thread::options_for(db);
    options.database_url = url;
    options.drain = true;
    testing::worker_thread one(
        options, [&](worker& w) { w.add(testing::test_kind(), run); }, log.target());
    return one.join();
  }
  std::string record() {
    std::ifstream file(proxy.record_path());
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void expect_that_it_was_cut() {
    EXPECT_THAT(record(), HasSubstr(std::string(" a cut ") + GetParam() + " commit "));
  }

  bool never_arrives() const { return std::string(GetParam()) == "to-server"; }

  testing::log_lines log;
  testing::jobs_database db;
  const std::string folder = make_folder();
  fault_proxy proxy{folder};
  const std::string url = proxy.open("a", db.url());
};

TEST_P(lost_commit, of_a_step_stores_it_and_its_effects_once) {
  db.add("a");
  int runs = 0;
  cut("store_steps");
  const auto counts = drain([&](job& self) -> asio::awaitable<outcome> {
    const auto page = [&]() -> asio::awaitable<step_result> {
      ++runs;
      step_result done(7);
      done.effects.push_back(
          {"INSERT INTO step_effects (job_id, step) VALUES ($1, 'page')", {self.id()}});
      co_return done;
    };
    const auto result = co_await self.step("page", page);
    if (result != 7) co_return final_failure("got " + result.dump());
    co_return succeeded{};
  });
  expect_that_it_was_cut();
  EXPECT_EQ(counts.succeeded, 1) << db.value("SELECT last_error FROM test_jobs");
  EXPECT_EQ(runs, 1);
  EXPECT_EQ(db.value("SELECT count(*) FROM rowrunner.steps"), "1");
  EXPECT_EQ(db.value("SELECT count(*) FROM step_effects"), "1");
  EXPECT_EQ(db.value("SELECT attempts FROM test_jobs"), "0");
}

// The children and what they wait for are effects too.
TEST_P(lost_commit, of_an_end_leaves_its_children_and_their_join_once) {
  db.exec("SELECT rowrunner.attach('test_jobs', kind => 'test', joins => true)");
  db.add("batch");
  cut("succeed");
  const auto counts = drain([&](job& self) -> asio::awaitable<outcome> {
    succeeded end;
    if (self.text("name") == "batch") {
      const auto part = new_job_id(), total = new_job_id();
      for (const auto& [id, name] : {std::pair(part, "part"), std::pair(total, "total")}) {
        end.effects.push_back({"INSERT INTO test_jobs (id, name) VALUES ($1, $2)", {id, name}});
      }
      end.effects.push_back(run_after_effect({"test", total, "test", {part}}));
    }
    end.effects.push_back({"INSERT INTO effects (name) VALUES ($1)", {self.text("name")}});
    co_return end;
  });
  expect_that_it_was_cut();
  EXPECT_EQ(counts.succeeded, 3);
  EXPECT_EQ(db.value("SELECT string_agg(name, ' ' ORDER BY n) FROM history"
                     " WHERE after = 'succeeded'"),
            "batch part total");
  EXPECT_EQ(db.value("SELECT string_agg(name, ' ' ORDER BY name) FROM effects"),
            "batch part total");
  EXPECT_EQ(db.value("SELECT sum(attempts) FROM test_jobs"), "0");
  EXPECT_THAT(db.violations(), IsEmpty());
}

// A failure clears the lease by which an end is found otherwise.
TEST_P(lost_commit, of_a_failure_counts_as_that_failure) {
  db.add("a");
  int runs = 0;
  cut("fail/test");
  const auto counts = drain([&](job&) -> asio::awaitable<outcome> {
    if (++runs == 1) co_return failed{"boom", 0ms, false};
    co_return final_failure("boom again");
  });
  expect_that_it_was_cut();
  EXPECT_EQ(runs, 2);
  EXPECT_EQ(counts.retried, 1);
  EXPECT_EQ(counts.failed, 1);
  EXPECT_EQ(counts.refused, 0) << log.text();
  EXPECT_EQ(
      db.value("SELECT string_agg(attempt || error, ', ' ORDER BY id) FROM rowrunner.attempts"),
      "1boom, 2boom again");
  EXPECT_THAT(db.violations(), IsEmpty());
}

TEST_P(lost_commit, of_the_last_failure_counts_as_final) {
  db.add("a", "ok", 0, 0, 1);
  cut("fail/test");
  const auto counts = drain([&](job&) -> asio::awaitable<outcome> {
    co_return failed{"boom", 0ms, false};
  });
  expect_that_it_was_cut();
  EXPECT_EQ(counts.failed, 1);
  EXPECT_EQ(counts.retried, 0);
  EXPECT_EQ(counts.refused, 0) << log.text();
}

// Nothing tells a snooze from a rescue that charged nothing, so it is only logged.
TEST_P(lost_commit, of_a_snooze_is_no_lost_lease) {
  db.add("a");
  cut("release/test");
  const auto counts =
      drain([&](job&) -> asio::awaitable<outcome> { co_return snoozed{std::chrono::hours{1}}; });
  expect_that_it_was_cut();
  EXPECT_EQ(counts.released, never_arrives() ? 1 : 0);
  EXPECT_EQ(counts.refused, 0);
  EXPECT_EQ(log.count("the answer to the release of a job was lost"), never_arrives() ? 0 : 1);
  EXPECT_THAT(log.text(), Not(HasSubstr("fenced")));
  EXPECT_EQ(db.value("SELECT status FROM test_jobs"), "queued");
  EXPECT_EQ(db.value("SELECT run_at > now() FROM test_jobs"), "t");
}

INSTANTIATE_TEST_SUITE_P(either_way, lost_commit, ::testing::Values("to-server", "to-client"),
                         [](const auto& which) {
                           return std::string(which.param) == "to-server" ? "never_arrives"
                                                                          : "is_not_answered";
                         });

/// Ends of jobs whose COMMIT waits for a lock, until end() is called.
class late_commit : public ::testing::Test {
 protected:
  late_commit() {
    db.exec(
        "CREATE FUNCTION wait_a_while() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
        "  PERFORM pg_advisory_xact_lock_shared(42); RETURN NULL;"
        "END $$;"
        "CREATE CONSTRAINT TRIGGER wait_a_while AFTER UPDATE ON test_jobs"
        "  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (OLD.status = 'processing')"
        "  EXECUTE FUNCTION wait_a_while()");
    holding.exec("SELECT pg_advisory_xact_lock(42)");
  }
  ~late_commit() override { std::filesystem::remove_all(folder); }

  /// The connection breaks while the end of the job "a" waits; the end is sent again and waits for
  /// the first one; then that is committed.
  worker_counts end_twice(const std::function<asio::awaitable<outcome>(job&)>& run) {
    db.add("a");
    auto options = testing::worker_thread::options_for(db);
    options.database_url = url;
    options.drain = true;
    testing::worker_thread one(
        options, [&](worker& w) { w.add(testing::test_kind(), run); }, log.target());
    EXPECT_TRUE(waits_for("advisory"));
    proxy.tell("reset a");
    EXPECT_TRUE(waits_for("transactionid"));
    holding.commit();
    return one.join();
  }
  bool waits_for(const std::string& lock) {
    return db.becomes(
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
        " AND wait_event_type = 'Lock' AND wait_event = '" +
            lock + "'",
        "1");
  }

  testing::log_lines log;
  testing::jobs_database db;
  pqxx::connection session{db.url()};
  pqxx::work holding{session};
  const std::string folder = make_folder();
  fault_proxy proxy{folder};
  const std::string url = proxy.open("a", db.url());
};

TEST_F(late_commit, of_an_end_that_was_sent_again_counts_once) {
  const auto counts = end_twice([](job&) -> asio::awaitable<outcome> { co_return succeeded{}; });
  EXPECT_EQ(counts.succeeded, 1) << log.text();
  EXPECT_EQ(counts.refused, 0);
}

TEST_F(late_commit, of_a_failure_that_was_sent_again_counts_once) {
  const auto counts =
      end_twice([](job&) -> asio::awaitable<outcome> { co_return final_failure("boom"); });
  EXPECT_EQ(counts.failed, 1) << log.text();
  EXPECT_EQ(counts.refused, 0);
  EXPECT_EQ(db.value("SELECT count(*) FROM rowrunner.attempts"), "1");
}

}  // namespace
}  // namespace rowrunner::chaos
