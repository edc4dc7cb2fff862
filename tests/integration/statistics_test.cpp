// What a statement reads does not depend on what the statistics say: they may be from a time when
// nothing was queued, or nothing had ended, and a plan that goes by them reads the whole table.

#include <gtest/gtest.h>

#include "common/pg/exec.hpp"
#include "common/schema/kind_info.hpp"
#include "queries/admin.hpp"
#include "queries/engine.hpp"
#include "support/postgres.hpp"
#include "worker/queue_cursor.hpp"

namespace rowrunner::testing {
namespace {

constexpr int jobs_of_a_sort = 3'000;
constexpr int wanted = 10;
constexpr const char* before_all_ids = "00000000-0000-0000-0000-000000000000";
constexpr const char* after_all_ids = "ffffffff-ffff-ffff-ffff-ffffffffffff";

class statistics : public ::testing::Test {
 protected:
  statistics() {
    db_.exec(
        "ALTER TABLE letter_jobs SET (autovacuum_enabled = off);"
        "ALTER TABLE rowrunner.queue SET (autovacuum_enabled = off)");
    kind_.table = "public.letter_jobs";
  }

  void insert_jobs(const std::string& status) {
    db_.exec("INSERT INTO letter_jobs (batch_id, recipient, status) SELECT '" + status + "', i, '" +
             status + "' FROM generate_series(1, " + std::to_string(jobs_of_a_sort) + ") i");
  }

  /// A line that was analysed when it was very long.
  void pretend_a_long_queue() {
    db_.exec(
        "ANALYZE rowrunner.queue;"
        "UPDATE pg_class SET reltuples = 5e6 WHERE oid = 'rowrunner.queue'::regclass");
  }

  /// How many rows of the job table the statement reads, after the settings that are sent with it.
  template <typename... Params>
  int rows_read(const query& settings, const query& statement, Params... params) {
    pqxx::work tx(db_.connection());
    const int before = read_so_far(tx, "public.letter_jobs");
    tx.exec(std::string(settings.text));
    pg::exec(tx, kind_.bind(statement), params...);
    return read_so_far(tx, "public.letter_jobs") - before;
  }

  static int read_so_far(pqxx::work& tx, const std::string& table) {
    return tx
        .exec(
            "SELECT coalesce(sum(seq_tup_read + coalesce(idx_tup_fetch, 0)), 0)"
            " FROM pg_stat_xact_user_tables WHERE relid = '" +
            table + "'::regclass")[0][0]
        .as<int>();
  }

  /// How many queue entries are read to tell why the newest job with that status does not run.
  int entries_read_for(const std::string& status) {
    pqxx::work tx(db_.connection());
    const auto id = tx.exec("SELECT id FROM letter_jobs WHERE status = '" + status +
                            "' ORDER BY id DESC LIMIT 1")[0][0]
                        .as<std::string>();
    const int before = read_so_far(tx, "rowrunner.queue");
    pg::exec(tx, kind_.bind(queries::wait_facts), 1, id);
    return read_so_far(tx, "rowrunner.queue") - before;
  }

  int rows_read_by_claim(const query& how) {
    const queue_position front;
    return rows_read(queries::claim_settings, how, 1, front.priority, front.seq, wanted, 1, "w",
                     10'000);
  }

  test_database db_;
  kind_info kind_;
};

TEST_F(statistics, a_claim_reads_the_jobs_it_takes_although_none_is_said_to_be_queued) {
  insert_jobs("succeeded");
  db_.exec("ANALYZE letter_jobs");
  insert_jobs("queued");
  pretend_a_long_queue();
  EXPECT_LT(rows_read_by_claim(queries::claim), 10 * wanted);
  EXPECT_LT(rows_read_by_claim(queries::claim_free), 10 * wanted);
}

TEST_F(statistics, retention_reads_one_stretch_although_nothing_is_said_to_have_ended) {
  insert_jobs("queued");
  db_.exec("ANALYZE letter_jobs");
  insert_jobs("succeeded");
  const auto read = [&] {
    return rows_read(queries::write_settings, queries::retention, 1, before_all_ids, wanted);
  };
  EXPECT_EQ(read(), 0) << "without retention";
  db_.exec("UPDATE rowrunner.kinds SET retention = interval '1 day'");
  EXPECT_LT(read(), 10 * wanted);
}

TEST_F(statistics, a_list_that_no_index_serves_reads_only_the_newest_jobs) {
  db_.exec(
      "INSERT INTO letter_jobs (batch_id, recipient, status)"
      " SELECT 'long', i, 'succeeded' FROM generate_series(1, 25000) i");
  const auto read = [&](const query& statement, auto... params) {
    return rows_read(queries::read_settings, statement, after_all_ids, params...);
  };
  EXPECT_EQ(read(queries::jobs_newest, "cancelled", wanted), 20'000);
  EXPECT_LE(read(queries::jobs_newest, "succeeded", wanted), wanted);
  EXPECT_LE(read(queries::jobs_page_end), 20'000);
}

TEST_F(statistics, why_a_job_waits_is_told_without_reading_the_whole_queue) {
  insert_jobs("succeeded");
  db_.exec(
      "INSERT INTO letter_jobs (batch_id, recipient)"
      " SELECT 'long', i FROM generate_series(1, 50000) i;"
      "ANALYZE letter_jobs; ANALYZE rowrunner.queue");
  EXPECT_EQ(entries_read_for("succeeded"), 0);
  EXPECT_LE(entries_read_for("queued"), 30'003) << "three times ten thousand";
}

}  // namespace
}  // namespace rowrunner::testing
