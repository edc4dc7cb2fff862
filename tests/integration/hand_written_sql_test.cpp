// People and programs write to job tables with plain SQL. Whatever they write, the queue stays
// right: what should run can be claimed, once and in order, and nothing else can.
#include <gtest/gtest.h>

#include "support/jobs.hpp"

namespace rowrunner::testing {
namespace {

class hand_written_sql : public ::testing::Test {
 protected:
  void update(const std::string& id, const std::string& set) {
    db_.exec("UPDATE letter_jobs SET " + set + " WHERE id = '" + id + "'");
  }
  std::string column(const std::string& id, const std::string& expression) {
    return db_.value("SELECT " + expression + " FROM letter_jobs WHERE id = '" + id + "'");
  }
  std::string failures() { return db_.value("SELECT count(*) FROM rowrunner.failures"); }
  void TearDown() override { EXPECT_EQ(lost_jobs(db_), "0 0"); }

  test_database db_;
};

TEST_F(hand_written_sql, a_plain_insert_is_a_complete_enqueue) {
  db_.exec(
      "INSERT INTO letter_jobs (batch_id, recipient) VALUES ('p', 'a'), ('p', 'b')"
      " ON CONFLICT DO NOTHING");
  db_.exec(
      "INSERT INTO letter_jobs (batch_id, recipient) VALUES ('p', 'b'), ('p', 'c')"
      " ON CONFLICT DO NOTHING");
  EXPECT_EQ(db_.value("SELECT count(*) FROM rowrunner.queue"), "3");
  EXPECT_EQ(claim_names(db_), "a b c");
}

TEST_F(hand_written_sql, an_upsert_gives_places_to_new_rows_only) {
  insert_job(db_, "a");
  db_.exec(
      "INSERT INTO letter_jobs (batch_id, recipient) VALUES ('batch', 'a'), ('batch', 'b')"
      " ON CONFLICT (batch_id, recipient) DO UPDATE SET updated_at = now()");
  EXPECT_EQ(db_.value("SELECT count(*) FROM rowrunner.queue"), "2");
  EXPECT_EQ(claim_names(db_), "a b");
}

TEST_F(hand_written_sql, a_failed_job_set_to_queued_runs) {
  const auto id = insert_job(db_, "a", "status, attempts, last_error", "'failed', 1, 'boom'");
  EXPECT_EQ(failures(), "1");
  EXPECT_EQ(claim_names(db_), "");
  update(id, "status = 'queued'");
  EXPECT_EQ(failures(), "0");
  EXPECT_EQ(column(id, "attempts"), "1");  // not spent, so not reset
  EXPECT_EQ(claim_names(db_), "a");
}

TEST_F(hand_written_sql, a_job_whose_attempts_are_spent_gets_new_ones) {
  const auto id = insert_job(db_, "a", "status, attempts", "'failed', 3");
  update(id, "status = 'queued'");
  EXPECT_EQ(column(id, "attempts"), "0");
  EXPECT_EQ(claim_names(db_), "a");
}

TEST_F(hand_written_sql, a_running_job_set_to_queued_is_taken_from_its_worker) {
  const auto id = insert_job(db_, "a");
  const auto lease = db_.value("SELECT rowrunner.claim('letter', 'first')->>'lease'");
  update(id, "status = 'queued'");
  EXPECT_EQ(column(id, "lease IS NULL AND locked_by IS NULL AND locked_at IS NULL"), "t");
  EXPECT_EQ(db_.value("SELECT rowrunner.succeed('letter', '" + id + "', " + lease + ")"), "f");
  EXPECT_EQ(claim_names(db_), "a");
  EXPECT_EQ(column(id, "locked_by"), "tester");
  EXPECT_EQ(db_.value("SELECT rowrunner.succeed('letter', '" + id + "', " + lease + ")"), "f");
  EXPECT_EQ(column(id, "status"), "processing");
}

TEST_F(hand_written_sql, a_succeeded_job_set_to_queued_runs_again) {
  const auto id = insert_job(db_, "a");
  const auto lease = db_.value("SELECT rowrunner.claim('letter', 'first')->>'lease'");
  EXPECT_EQ(db_.value("SELECT rowrunner.succeed('letter', '" + id + "', " + lease + ")"), "t");
  update(id, "status = 'queued'");
  EXPECT_EQ(column(id, "lease IS NULL"), "t");
  EXPECT_EQ(claim_names(db_), "a");
}

TEST_F(hand_written_sql, to_failed_and_back_leaves_two_places_but_one_run) {
  const auto id = insert_job(db_, "a");
  insert_job(db_, "b");
  update(id, "status = 'failed', last_error = 'by hand'");
  EXPECT_EQ(db_.value("SELECT error FROM rowrunner.failures WHERE job_id = '" + id + "'"),
            "by hand");
  update(id, "status = 'queued'");
  EXPECT_EQ(failures(), "0");
  EXPECT_EQ(db_.value("SELECT count(*) FROM rowrunner.queue WHERE job_id = '" + id + "'"), "2");
  EXPECT_EQ(claim_names(db_), "a b");
  EXPECT_EQ(db_.value("SELECT count(*) FROM rowrunner.queue"), "0");
}

TEST_F(hand_written_sql, a_failed_job_is_not_claimed_through_its_old_place) {
  const auto id = insert_job(db_, "a");
  update(id, "status = 'failed'");
  EXPECT_EQ(claim_names(db_), "");
  EXPECT_EQ(db_.value("SELECT count(*) FROM rowrunner.queue"), "0");  // and the place is gone
}

TEST_F(hand_written_sql, a_deleted_waiting_job_leaves_nothing_that_runs) {
  const auto id = insert_job(db_, "a");
  insert_job(db_, "b");
  db_.exec(
      "INSERT INTO rowrunner.steps (kind, job_id, step, result)"
      " SELECT id, '" +
      id + "', 's', '1' FROM rowrunner.kinds");
  db_.exec(
      "INSERT INTO rowrunner.attempts (kind, job_id, attempt, error)"
      " SELECT id, '" +
      id + "', 1, 'x' FROM rowrunner.kinds");
  db_.exec("DELETE FROM letter_jobs WHERE id = '" + id + "'");
  EXPECT_EQ(db_.value("SELECT count(*) FROM rowrunner.steps"), "0");
  EXPECT_EQ(db_.value("SELECT count(*) FROM rowrunner.attempts"), "0");
  EXPECT_EQ(claim_names(db_), "b");
}

TEST_F(hand_written_sql, a_deleted_failed_job_leaves_the_dead_letter_list) {
  const auto id = insert_job(db_, "a", "status", "'failed'");
  EXPECT_EQ(failures(), "1");
  db_.exec("DELETE FROM letter_jobs WHERE id = '" + id + "'");
  EXPECT_EQ(failures(), "0");
}

TEST_F(hand_written_sql, a_job_put_off_does_not_run_before_its_time) {
  const auto id = insert_job(db_, "a");
  update(id, "run_at = now() + interval '1 hour'");
  EXPECT_EQ(lost_jobs(db_), "0 0");
  EXPECT_EQ(claim_names(db_), "");
  EXPECT_EQ(lost_jobs(db_), "0 0");
  update(id, "run_at = now() - interval '1 second'");
  EXPECT_EQ(claim_names(db_), "a");
}

TEST_F(hand_written_sql, a_delayed_job_brought_forward_runs_now) {
  const auto id = insert_job(db_, "a", "run_at", "now() + interval '1 hour'");
  EXPECT_EQ(claim_names(db_), "");
  update(id, "run_at = now()");
  EXPECT_EQ(claim_names(db_), "a");
}

TEST_F(hand_written_sql, a_delayed_job_runs_when_its_time_has_come) {
  insert_job(db_, "a", "run_at", "now() + interval '1 hour'");
  // As if the hour had passed: neither trigger nor place hears of it.
  db_.exec(
      "ALTER TABLE letter_jobs DISABLE TRIGGER rowrunner_update;"
      "UPDATE letter_jobs SET run_at = run_at - interval '2 hours';"
      "UPDATE rowrunner.delayed SET run_at = run_at - interval '2 hours';"
      "ALTER TABLE letter_jobs ENABLE TRIGGER rowrunner_update");
  EXPECT_EQ(claim_names(db_), "a");
}

TEST_F(hand_written_sql, a_change_of_priority_changes_the_order) {
  insert_job(db_, "a");
  const auto b = insert_job(db_, "b");
  const auto c = insert_job(db_, "c");
  update(c, "priority = -5");
  update(b, "priority = 7");
  EXPECT_EQ(lost_jobs(db_), "0 0");
  EXPECT_EQ(claim_names(db_), "c a b");
}

TEST_F(hand_written_sql, priority_and_time_of_a_delayed_job_may_both_change) {
  const auto id = insert_job(db_, "a", "run_at", "now() + interval '1 hour'");
  update(id, "priority = 3");
  EXPECT_EQ(lost_jobs(db_), "0 0");
  update(id, "priority = -3, run_at = now()");
  insert_job(db_, "b");
  EXPECT_EQ(claim_names(db_), "a b");
}

TEST_F(hand_written_sql, one_insert_of_all_sorts_puts_each_job_where_it_belongs) {
  db_.exec(
      "INSERT INTO letter_jobs (batch_id, recipient, status, run_at, priority, attempts,"
      " last_error) VALUES ('p', 'now', 'queued', now(), 2, 0, NULL),"
      " ('p', 'later', 'queued', now() + interval '1 hour', 3, 0, NULL),"
      " ('p', 'dead', 'failed', now(), 0, 4, 'boom'), ('p', 'done', 'succeeded', now(), 0, 0, "
      "NULL)");
  const auto found = [&](const std::string& what, const std::string& where) {
    return db_.value("SELECT string_agg(j.recipient || " + what + ", ',') FROM rowrunner." + where +
                     " x JOIN letter_jobs j ON j.id = x.job_id");
  };
  EXPECT_EQ(found("x.priority", "queue"), "now2");
  EXPECT_EQ(found("x.priority || (x.run_at = j.run_at)", "delayed"), "later3true");
  EXPECT_EQ(found("x.attempts || x.error", "failures"), "dead4boom");
  EXPECT_EQ(lost_jobs(db_), "0 0");
}

TEST_F(hand_written_sql, truncate_takes_the_places_with_it) {
  insert_job(db_, "a");
  insert_job(db_, "b", "run_at", "now() + interval '1 hour'");
  insert_job(db_, "c", "status", "'failed'");
  db_.exec("TRUNCATE letter_jobs");
  EXPECT_EQ(db_.value("SELECT (SELECT count(*) FROM rowrunner.queue) +"
                      " (SELECT count(*) FROM rowrunner.delayed) +"
                      " (SELECT count(*) FROM rowrunner.failures)"),
            "0");
  insert_job(db_, "d");
  EXPECT_EQ(claim_names(db_), "d");
}

TEST_F(hand_written_sql, only_a_claim_makes_a_job_processing) {
  constexpr auto check_violation = "23514";
  EXPECT_EQ(sqlstate_of(db_,
                        "INSERT INTO letter_jobs (batch_id, recipient, status)"
                        " VALUES ('p', 'x', 'processing')"),
            check_violation);
  const auto id = insert_job(db_, "a");
  const auto to_processing = "UPDATE letter_jobs SET status = 'processing' WHERE id = '" + id + "'";
  EXPECT_EQ(sqlstate_of(db_, to_processing), check_violation);
  update(id, "status = 'failed'");
  EXPECT_EQ(sqlstate_of(db_, to_processing), check_violation);
  // A succeeded job still has the lease under which it succeeded.
  update(id, "status = 'queued'");
  const auto lease = db_.value("SELECT rowrunner.claim('letter', 'w')->>'lease'");
  EXPECT_EQ(db_.value("SELECT rowrunner.succeed('letter', '" + id + "', " + lease + ")"), "t");
  EXPECT_EQ(sqlstate_of(db_, to_processing), check_violation);
}

TEST_F(hand_written_sql, an_id_cannot_change) {
  const auto id = insert_job(db_, "a");
  EXPECT_EQ(sqlstate_of(db_, "UPDATE letter_jobs SET id = rowrunner.new_id()"), "23514");
  EXPECT_EQ(claim_names(db_), "a");
}

TEST_F(hand_written_sql, a_rolled_back_change_changes_nothing) {
  const auto id = insert_job(db_, "a");
  {
    pqxx::work tx(db_.connection());
    tx.exec("UPDATE letter_jobs SET priority = 5");
    tx.exec("INSERT INTO letter_jobs (batch_id, recipient) VALUES ('p', 'never')");
    tx.exec("UPDATE letter_jobs SET status = 'failed' WHERE id = '" + id + "'");
    tx.abort();
  }
  EXPECT_EQ(failures(), "0");
  EXPECT_EQ(claim_names(db_), "a");
}

TEST_F(hand_written_sql, bulk_updates_keep_every_job) {
  db_.exec(
      "INSERT INTO letter_jobs (batch_id, recipient, status)"
      " SELECT 'p', 's' || i, CASE WHEN i % 3 = 0 THEN 'failed' ELSE 'queued' END"
      " FROM generate_series(1, 300) i");
  EXPECT_EQ(failures(), "100");
  db_.exec("UPDATE letter_jobs SET status = 'failed' WHERE status = 'queued'");
  EXPECT_EQ(failures(), "300");
  db_.exec("UPDATE letter_jobs SET status = 'queued', priority = length(recipient)");
  EXPECT_EQ(failures(), "0");
  EXPECT_EQ(lost_jobs(db_), "0 0");
  EXPECT_EQ(db_.value("SELECT count(*) FROM (SELECT rowrunner.claim('letter', 'w', 2000)) x"),
            "300");
}

}  // namespace
}  // namespace rowrunner::testing
