// Joins whose tables, rows and callers do what they can to keep children from running, or to let
// them run when they should not.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/job_table.hpp"
#include "support/jobs.hpp"

namespace rowrunner::testing {
namespace {

using ::testing::HasSubstr;

/// Jobs of the kind `part` are parents; `bad` and `good` are kinds of children, and `part` too.
class attacked_joins : public ::testing::Test {
 protected:
  attacked_joins() {
    for (const std::string kind : {"part", "bad", "good"}) {
      db_.exec("CREATE TABLE " + kind + " (" + job_columns() + "); SELECT rowrunner.attach('" +
               kind + "', kind => '" + kind + "', joins => true)");
    }
    db_.exec("INSERT INTO part (name) VALUES ('parent')");
  }

  static std::string id(const std::string& kind, const std::string& name) {
    return "(SELECT id FROM " + kind + " WHERE name = '" + name + "')";
  }
  static std::string after(const std::string& kind, const std::string& child,
                           const std::string& parent, const std::string& policy = "run") {
    return "SELECT rowrunner.run_after('" + kind + "', " + id(kind, child) + ", 'part', ARRAY[" +
           id("part", parent) + "], '" + policy + "')";
  }
  void join(const std::string& kind, const std::string& child, const std::string& policy = "run") {
    db_.exec("INSERT INTO " + kind + " (name) VALUES ('" + child + "'); " +
             after(kind, child, "parent", policy));
  }
  void end_parent(const std::string& status = "succeeded") {
    db_.exec("UPDATE part SET status = '" + status + "' WHERE name = 'parent'");
  }
  std::string fire(const std::string& at_most = "100") {
    return db_.value("SELECT rowrunner.fire_joins(" + at_most + ")");
  }
  /// "held", or the status.
  std::string state(const std::string& kind, const std::string& name) {
    return db_.value("SELECT CASE WHEN run_at = 'infinity' THEN 'held' ELSE status END FROM " +
                     kind + " WHERE name = '" + name + "'");
  }
  void trap(const std::string& body) {
    db_.exec("CREATE FUNCTION trap() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN " + body +
             " RETURN NEW; END $$;"
             "CREATE TRIGGER trap BEFORE UPDATE ON bad FOR EACH ROW EXECUTE FUNCTION trap()");
  }

  test_database db_;
};

TEST_F(attacked_joins, a_child_that_must_be_cancelled_never_runs_because_its_row_was_in_the_way) {
  join("bad", "child", "cancel");
  db_.exec("ALTER TABLE bad ADD CONSTRAINT never CHECK (status <> 'cancelled') NOT VALID");
  end_parent("failed");
  EXPECT_EQ(fire(), "0");
  db_.exec("ALTER TABLE bad DROP CONSTRAINT never; SELECT rowrunner.sweep()");
  EXPECT_EQ(fire(), "1");
  EXPECT_EQ(state("bad", "child"), "cancelled");
  EXPECT_THAT(db_.value("SELECT last_error FROM bad"), HasSubstr("which it waited for"));
}

TEST_F(attacked_joins, no_error_of_one_tables_trigger_stops_the_other_kinds) {
  for (const std::string error :
       {"ASSERT false;", "RAISE EXCEPTION USING ERRCODE = '53100';",
        "RAISE EXCEPTION USING ERRCODE = '57014';", "RAISE EXCEPTION USING ERRCODE = '58000';",
        "RAISE EXCEPTION USING ERRCODE = '40001';", "RAISE EXCEPTION 'no';"}) {
    db_.exec("DROP FUNCTION IF EXISTS trap() CASCADE; TRUNCATE bad, good");
    db_.exec("UPDATE part SET status = 'queued'");
    join("bad", "child");
    join("good", "child");
    trap(error);
    end_parent();
    EXPECT_EQ(fire(), "1") << error;
    EXPECT_EQ(state("bad", "child"), "held") << error;
    EXPECT_EQ(db_.value("SELECT rowrunner.claim('good', 'tester')->>'name'"), "child") << error;
  }
}

// Its children fire at the next call after the lock is gone, and not with the next sweep.
TEST_F(attacked_joins, a_locked_table_holds_up_its_own_children_only) {
  for (int i = 0; i < 5; ++i) join("bad", "child" + std::to_string(i));
  join("good", "child");
  end_parent();
  pqxx::connection other(db_.url());
  {
    pqxx::work tx(other);
    tx.exec("LOCK TABLE bad");
    db_.exec("SET lock_timeout = '5s'");
    EXPECT_EQ(fire("3"), "1");
    EXPECT_EQ(state("good", "child"), "queued");
  }
  EXPECT_EQ(fire(), "5");
}

TEST_F(attacked_joins, locked_rows_hold_up_no_other_child) {
  for (int i = 0; i < 5; ++i) join("bad", "child" + std::to_string(i));
  join("good", "child");
  end_parent();
  pqxx::connection other(db_.url());
  pqxx::work tx(other);
  tx.exec("SELECT FROM bad FOR UPDATE");
  EXPECT_EQ(fire("3"), "1");
  EXPECT_EQ(state("good", "child"), "queued");
}

// The limit holds for the statement, so it ends the first wait in it only.
TEST_F(attacked_joins, what_takes_too_long_is_left_for_the_next_time_and_what_was_fired_is_kept) {
  for (const std::string child : {"1 ready", "2 stuck", "3 behind"}) join("bad", child);
  trap(
      "PERFORM set_config('lock_timeout', '0', true);"
      " IF OLD.name = '2 stuck' THEN PERFORM pg_advisory_xact_lock(4711); END IF;");
  end_parent();
  const std::string fire_bad =
      "SELECT concat_ws(' ', fired, trouble) FROM rowrunner.kinds k,"
      " rowrunner.fire_joins_of(k.id) WHERE k.kind = 'bad'";
  pqxx::connection other(db_.url());
  pqxx::work tx(other);
  tx.exec("SELECT pg_advisory_xact_lock(4711)");
  db_.exec("SET statement_timeout = '500ms'");
  EXPECT_EQ(db_.value(fire_bad),
            "1 job " + db_.value("SELECT id FROM bad WHERE name = '2 stuck'") +
                " waited for others and cannot be run now: canceling statement due to statement"
                " timeout");
  EXPECT_EQ(state("bad", "1 ready"), "queued");
  EXPECT_EQ(state("bad", "3 behind"), "held");
  tx.commit();
  EXPECT_EQ(db_.value(fire_bad), "2");
}

// What hangs in a trigger of another kind must not hang in theirs.
TEST_F(attacked_joins, claims_and_ends_in_sql_fire_the_joins_that_concern_them) {
  join("bad", "child");
  db_.exec("CREATE SEQUENCE entered; GRANT ALL ON entered TO PUBLIC");
  trap("PERFORM nextval('public.entered');");
  end_parent();
  db_.exec("INSERT INTO part (name) VALUES ('second')");
  db_.exec("INSERT INTO good (name) VALUES ('child'); " + after("good", "child", "second"));
  EXPECT_EQ(db_.value("SELECT rowrunner.claim('part', 'tester')->>'name'"), "second");
  EXPECT_EQ(db_.value("SELECT rowrunner.succeed('part', id, lease) FROM part WHERE lease > 0"),
            "t");
  EXPECT_EQ(state("good", "child"), "queued");
  EXPECT_EQ(db_.value("SELECT rowrunner.claim('good', 'tester')->>'name'"), "child");
  EXPECT_EQ(state("bad", "child"), "held");
  EXPECT_EQ(db_.value("SELECT is_called FROM entered"), "f");
  EXPECT_EQ(db_.value("SELECT rowrunner.claim('bad', 'tester')->>'name'"), "child");
  EXPECT_EQ(db_.value("SELECT is_called FROM entered"), "t");
}

// The second transaction began before the first one made b wait for c.
TEST_F(attacked_joins, no_cycle_comes_about_under_repeatable_read) {
  for (const std::string name : {"a", "b", "c"}) join("part", name);
  db_.exec(after("part", "a", "b"));
  pqxx::connection other(db_.url());
  pqxx::work tx(other);
  tx.exec("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ");
  tx.exec("SELECT count(*) FROM rowrunner.edges");
  db_.exec(after("part", "b", "c"));
  try {
    tx.exec(after("part", "c", "a"));
    ADD_FAILURE() << "c waits for a, which waits for b, which waits for c";
  } catch (const pqxx::sql_error& error) {
    EXPECT_THAT(error.what(), HasSubstr("could be made to wait for itself"));
  }
}

// A transaction that enqueues a chain is not in danger.
TEST_F(attacked_joins, a_chain_can_be_enqueued_under_repeatable_read) {
  join("part", "a");
  db_.exec("INSERT INTO part (name) VALUES ('second')");
  pqxx::connection other(db_.url());
  pqxx::work tx(other);
  tx.exec("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ");
  tx.exec("INSERT INTO part (name) VALUES ('b'), ('c')");
  tx.exec(after("part", "b", "second"));
  tx.exec(after("part", "b", "a"));
  tx.exec(after("part", "c", "b"));
  tx.commit();
  EXPECT_EQ(db_.value("SELECT count(*) FROM rowrunner.edges"), "4");
}

TEST_F(attacked_joins, a_cascade_ends_even_if_jobs_wait_for_each_other) {
  join("part", "a");
  join("part", "b");
  db_.exec(after("part", "b", "a"));
  db_.exec("INSERT INTO rowrunner.edges SELECT k.id, " + id("part", "b") + ", k.id, " +
           id("part", "a") + " FROM rowrunner.kinds k WHERE k.kind = 'part'");
  db_.exec("SET statement_timeout = '60s'");
  EXPECT_EQ(
      db_.value("SELECT rowrunner.cancel('part', " + id("part", "parent") + ", cascade => true)"),
      "cancelled");
  EXPECT_EQ(db_.value("SELECT count(*) FROM part WHERE status = 'cancelled'"), "3");
}

// A lock that any role can take must not be what run_after waits for.
TEST_F(attacked_joins, no_stranger_can_lock_run_after_out) {
  for (const std::string name : {"a", "b", "c"}) join("part", name);
  db_.exec(after("part", "a", "b"));
  pqxx::connection other(db_.url());
  pqxx::work tx(other);
  tx.exec("SELECT pg_advisory_lock(hashtextextended('rowrunner.edges', 0))");
  db_.exec("SET lock_timeout = '2s'");
  EXPECT_EQ(db_.value(after("part", "b", "c")), "1");
  for (const std::string role : {"rowrunner_app", "rowrunner_worker"}) {
    EXPECT_THAT(error_of(db_, "SET LOCAL ROLE " + role +
                                  "; SELECT FROM rowrunner.schema_info FOR KEY SHARE"),
                HasSubstr("permission denied"));
  }
}

TEST_F(attacked_joins, a_row_that_cannot_be_written_does_not_keep_a_table_attached) {
  join("bad", "stuck");
  join("bad", "gone");
  join("bad", "free");
  db_.exec(
      "ALTER TABLE bad ADD CONSTRAINT no CHECK (name <> 'stuck' OR run_at = 'infinity') NOT VALID;"
      "ALTER TABLE bad DISABLE TRIGGER USER; DELETE FROM bad WHERE name = 'gone'");
  db_.exec("SELECT rowrunner.detach('bad')");
  EXPECT_EQ(state("bad", "free"), "queued");
  EXPECT_EQ(state("bad", "stuck"), "held");
  EXPECT_EQ(db_.value("SELECT count(*) FROM rowrunner.waits"), "0");
}

// Before PostgreSQL 18 a deferred trigger runs as the role that commits.
TEST_F(attacked_joins, detach_runs_no_deferred_trigger_as_the_caller) {
  join("bad", "child");
  db_.exec(
      "CREATE TABLE seen (who text); GRANT ALL ON seen TO PUBLIC;"
      "CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS"
      " 'BEGIN INSERT INTO public.seen VALUES (current_user); RETURN NULL; END';"
      "CREATE CONSTRAINT TRIGGER late AFTER UPDATE ON bad DEFERRABLE INITIALLY DEFERRED"
      " FOR EACH ROW EXECUTE FUNCTION note()");
  db_.exec("SELECT rowrunner.detach('bad')");
  EXPECT_EQ(db_.value("SELECT string_agg(who, ' ') FROM seen"), "rowrunner_job_writer");
}

TEST_F(attacked_joins, a_cancelled_child_that_is_queued_again_by_hand_runs) {
  join("good", "child");
  db_.exec("SELECT rowrunner.cancel('good', " + id("good", "child") + ")");
  db_.exec("UPDATE good SET status = 'queued'");
  EXPECT_EQ(db_.value("SELECT rowrunner.claim('good', 'tester')->>'name'"), "child");
}

// The end of the parent would otherwise take longer than its lease.
TEST_F(attacked_joins, a_parent_with_very_many_children_ends_soon) {
  db_.exec(
      "WITH child AS (SELECT gen_random_uuid() AS id FROM generate_series(1, 20000)),"
      " k AS (SELECT id FROM rowrunner.kinds WHERE kind = 'part'), waits AS ("
      "   INSERT INTO rowrunner.waits (child_kind, child_id, run_at, when_failed, parents)"
      "   SELECT k.id, child.id, now(), 'run', 1 FROM k, child)"
      "INSERT INTO rowrunner.edges SELECT k.id, part.id, k.id, child.id FROM k, part, child");
  db_.exec("SET statement_timeout = '10s'");
  end_parent();
  EXPECT_EQ(db_.value("SELECT count(*) FROM rowrunner.join_candidates"), "20000");
}

// The INSERT gave it an entry, which a claim meets while it waits.
TEST_F(attacked_joins, a_claim_in_sql_leaves_nothing_of_a_child_among_the_delayed) {
  join("good", "child");
  EXPECT_EQ(db_.value("SELECT rowrunner.claim('good', 'tester')"), "");
  EXPECT_EQ(db_.value("SELECT count(*) FROM rowrunner.delayed"), "0");
}

TEST_F(attacked_joins, a_cancel_that_a_trigger_suppresses_is_an_error_and_forgets_nothing) {
  join("bad", "child", "cancel");
  trap("NEW := NULL;");
  EXPECT_THAT(error_of(db_, "SELECT rowrunner.cancel('bad', " + id("bad", "child") + ")"),
              HasSubstr("does a trigger suppress"));
  end_parent("failed");
  EXPECT_EQ(fire(), "0");
  EXPECT_EQ(state("bad", "child"), "held");
  db_.exec("DROP FUNCTION trap() CASCADE; SELECT rowrunner.sweep()");
  EXPECT_EQ(fire(), "1");
  EXPECT_EQ(state("bad", "child"), "cancelled");
}

}  // namespace
}  // namespace rowrunner::testing
