// What stats counts is right, and does not cost more the longer the queue or the more priorities.

#include "admin/stats.hpp"

#include <csignal>
#include <thread>

#include "common/pg/exec.hpp"
#include "common/schema/kind_info.hpp"
#include "queries/admin.hpp"
#include "support/command.hpp"
#include "support/jobs.hpp"
#include "support/jobs_database.hpp"
#include "support/own_server.hpp"

namespace rowrunner::testing {
namespace {

using admin::kind_stats;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

class stats_of_a_long_queue : public ::testing::Test {
 protected:
  stats_of_a_long_queue() {
    db_.exec(
        "ALTER TABLE letter_jobs SET (autovacuum_enabled = off);"
        "ALTER TABLE rowrunner.queue SET (autovacuum_enabled = off)");
    kind_.table = "public.letter_jobs";
  }

  void insert_jobs(int count, const std::string& priority = "0") {
    db_.exec("INSERT INTO letter_jobs (batch_id, recipient, priority) SELECT 'p', i, " + priority +
             " FROM generate_series(1, " + std::to_string(count) + ") i");
  }

  /// How many rows the statement reads of the queue and of the job table.
  template <typename... Params>
  std::int64_t rows_read(const query& statement, Params... params) {
    pqxx::work tx(db_.connection());
    const auto read_so_far = [&] {
      return tx
          .exec(
              "SELECT coalesce(sum(seq_tup_read + coalesce(idx_tup_fetch, 0)), 0)"
              " FROM pg_stat_xact_user_tables"
              " WHERE relid IN ('letter_jobs'::regclass, 'rowrunner.queue'::regclass)")[0][0]
          .as<std::int64_t>();
    };
    const auto before = read_so_far();
    tx.exec(std::string(queries::read_settings.text));
    pg::exec(tx, kind_.bind(statement), 1, params...);
    return read_so_far() - before;
  }

  test_database db_;
  command rowrunner_{db_};
  kind_info kind_;
};

TEST_F(stats_of_a_long_queue, deleted_jobs_do_not_wait) {
  insert_jobs(5'001);
  db_.exec("DELETE FROM letter_jobs WHERE recipient <> '4711'");
  const auto kind = rowrunner_.parsed({"stats"})["kinds"][0];
  EXPECT_EQ(kind["waiting"], 1);
  EXPECT_EQ(kind["waiting_is_approximate"], false);
}

TEST_F(stats_of_a_long_queue, a_number_that_was_not_checked_is_marked) {
  insert_jobs(kind_stats::check_limit + 1);
  const auto kind = rowrunner_.parsed({"stats"})["kinds"][0];
  EXPECT_EQ(kind["waiting"], kind_stats::check_limit + 1);
  EXPECT_EQ(kind["waiting_is_approximate"], true);
  EXPECT_THAT(rowrunner_.out({"stats"}), ContainsRegex(" ~10001 "));
}

TEST_F(stats_of_a_long_queue, every_priority_is_read_once_although_nothing_was_analysed) {
  constexpr int priorities = 5'000;
  insert_jobs(priorities, "i");
  EXPECT_LT(rows_read(queries::oldest_waiting), 10 * priorities);
  // Statistics of a queue that was empty, and of one that was huge.
  db_.exec(
      "UPDATE pg_class SET reltuples = 0, relpages = 1 WHERE oid = 'rowrunner.queue'::regclass");
  EXPECT_LT(rows_read(queries::oldest_waiting), 10 * priorities);
  db_.exec("ANALYZE; UPDATE pg_class SET reltuples = 5e7 WHERE oid = 'rowrunner.queue'::regclass");
  EXPECT_LT(rows_read(queries::oldest_waiting), 10 * priorities);
}

TEST_F(stats_of_a_long_queue, few_entries_of_each_of_all_priorities_are_read) {
  insert_jobs(4 * 65'536, "(i % 65536) - 32768");
  EXPECT_LT(rows_read(queries::oldest_waiting), 4 * 65'536);
  const auto kind = rowrunner_.parsed({"stats"})["kinds"][0];
  EXPECT_EQ(kind["waiting"], kind_stats::count_limit);
  EXPECT_TRUE(kind["oldest_waiting_seconds"].is_number());
}

TEST_F(stats_of_a_long_queue, counting_reads_no_more_jobs_than_it_checks) {
  insert_jobs(3'000);
  EXPECT_LE(rows_read(queries::waiting, 10'000, 100'001), 2 * 3'000);
  db_.exec("ANALYZE");
  EXPECT_LE(rows_read(queries::waiting, 10'000, 100'001), 2 * 3'000);
  EXPECT_LE(rows_read(queries::waiting, 100, 200), 500);
}

class stats_of_a_locked_table : public ::testing::Test {
 protected:
  stats_of_a_locked_table() {
    insert_job(db_, "a");
    db_.add("b");
    db_.exec("INSERT INTO test_jobs (name, status) VALUES ('c', 'failed')");
  }

  static nlohmann::json find(const nlohmann::json& stats, const std::string& kind) {
    for (const auto& each : stats["kinds"]) {
      if (each["kind"] == kind) return each;
    }
    return nullptr;
  }

  jobs_database db_;
  command rowrunner_{db_};
  pqxx::connection other_{db_.url() + (db_.url().find('?') == std::string::npos ? "?" : "&") +
                          "application_name=rewriter"};
};

TEST_F(stats_of_a_locked_table, show_the_other_kinds_and_what_the_engine_knows_of_it) {
  EXPECT_EQ(find(rowrunner_.parsed({"stats"}), "test")["locked_by"], nullptr);
  pqxx::work tx(other_);
  tx.exec("LOCK TABLE test_jobs IN ACCESS EXCLUSIVE MODE");
  const auto stats = rowrunner_.parsed({"stats"});
  const auto letters = find(stats, "letter");
  EXPECT_EQ(letters["waiting"], 1);
  EXPECT_EQ(letters["waiting_is_approximate"], false);
  EXPECT_TRUE(letters["oldest_waiting_seconds"].is_number());
  EXPECT_EQ(letters["locked_by"], nullptr);
  const auto locked = find(stats, "test");
  EXPECT_EQ(locked["state"], "locked");
  EXPECT_EQ(locked["waiting"], 1);
  EXPECT_EQ(locked["waiting_is_approximate"], true);
  EXPECT_EQ(locked["oldest_waiting_seconds"], nullptr);
  EXPECT_EQ(locked["failed"], 1);
  EXPECT_THAT(locked["locked_by"].get<std::string>(),
              ::testing::MatchesRegex("session " + std::to_string(other_.backendpid()) +
                                      " \\(rewriter, since 2.*Z\\)"));
}

TEST_F(stats_of_a_locked_table, name_the_session_in_text_and_metrics) {
  pqxx::work tx(other_);
  tx.exec("LOCK TABLE test_jobs IN ACCESS EXCLUSIVE MODE");
  const auto text = rowrunner_.out({"stats"});
  EXPECT_THAT(text, ContainsRegex("test +locked +0 +~1 +\\?"));
  EXPECT_THAT(text, ContainsRegex("\nThe table of test is locked by session .*rewriter"));
  const auto metrics = rowrunner_.out({"stats", "--prometheus"});
  EXPECT_THAT(metrics, HasSubstr("rowrunner_table_locked{kind=\"test\"} 1"));
  EXPECT_THAT(metrics, HasSubstr("rowrunner_table_locked{kind=\"letter\"} 0"));
  EXPECT_THAT(metrics, Not(HasSubstr("rowrunner_oldest_waiting_seconds{kind=\"test\"}")));
}

// ALTER TABLE that waits for a long query keeps everything that comes later from the table.
TEST_F(stats_of_a_locked_table, name_a_session_that_waits_for_the_lock) {
  pqxx::connection reader(db_.url());
  pqxx::work query(reader);
  query.exec("SELECT FROM test_jobs");
  std::thread rewriter([&] {
    pqxx::work tx(other_);
    tx.exec("LOCK TABLE test_jobs IN ACCESS EXCLUSIVE MODE");
  });
  EXPECT_TRUE(
      db_.becomes("SELECT count(*) FROM pg_locks WHERE NOT granted AND relation ="
                  " 'test_jobs'::regclass",
                  "1"));
  const auto stats = rowrunner_.parsed({"stats"});
  EXPECT_THAT(find(stats, "test")["locked_by"].dump(), HasSubstr("rewriter"));
  EXPECT_EQ(find(stats, "letter")["waiting"], 1);
  query.commit();
  rewriter.join();
}

TEST_F(stats_of_a_locked_table, fail_if_the_queue_itself_is_locked) {
  pqxx::work tx(other_);
  tx.exec("LOCK TABLE rowrunner.queue IN ACCESS EXCLUSIVE MODE");
  EXPECT_THAT(rowrunner_.error(1, {"stats"}), HasSubstr("a table was locked by another session"));
}

TEST(stats_watch, goes_on_after_the_database_was_restarted_and_says_so) {
  own_server server;
  const process_environment there{{"DATABASE_URL", server.url()}};
  ASSERT_EQ(run_process({rowrunner_binary(), "migrate"}, there).exit_code, 0);
  child_process watch({rowrunner_binary(), "stats", "--watch", "0.1"}, there);
  ASSERT_TRUE(watch.wait_for_output_line("^KIND +STATE")) << watch.err();
  server.crash();
  ASSERT_TRUE(watch.wait_for_output_line("rowrunner: .*; trying again")) << watch.err();
  // What was printed before the crash is not what is waited for.
  while (watch.wait_for_output_line("^KIND +STATE", std::chrono::milliseconds{0})) {
  }
  server.start();
  ASSERT_TRUE(watch.wait_for_output_line("^KIND +STATE")) << watch.err();
  watch.kill(SIGINT);
  EXPECT_EQ(watch.wait(), 0);
}

TEST(stats_watch, does_not_wait_for_a_database_that_was_never_there) {
  const auto done = run_process({rowrunner_binary(), "stats", "--watch"},
                                {{"DATABASE_URL", "postgresql://u@127.0.0.1:1/nowhere"}});
  EXPECT_EQ(done.exit_code, 1);
}

}  // namespace
}  // namespace rowrunner::testing
