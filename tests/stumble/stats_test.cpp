// What stats counts is right, and does not cost more the longer the queue or the more priorities.

#include "admin/stats.hpp"

#include <signal.h>

#include "common/pg/exec.hpp"
#include "common/schema/kind_info.hpp"
#include "queries/admin.hpp"
#include "support/command.hpp"
#include "support/own_server.hpp"

namespace rowrunner::testing {
namespace {

using admin::kind_stats;
using ::testing::ContainsRegex;

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
