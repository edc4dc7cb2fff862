// A job that runs after others: rowrunner.run_after, and what ends, cancels, holds and releases it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rowrunner/enqueue.hpp>

#include "common/pg/exec.hpp"
#include "support/job_table.hpp"
#include "support/jobs.hpp"
#include "support/worker_thread.hpp"

namespace rowrunner::testing {
namespace {

using ::testing::HasSubstr;

/// Jobs of the kind `part` are parents, the kind `sum` is a plain one. Ids are known by names.
class joins : public ::testing::Test {
 protected:
  joins() {
    db_.exec("CREATE TABLE part (" + job_columns() + "); CREATE TABLE sum (" + job_columns() +
             "); SELECT rowrunner.attach('part', kind => 'part', joins => true);"
             "SELECT rowrunner.attach('sum', kind => 'sum')");
  }

  static std::string ids(const std::string& kind, const std::string& names) {
    return "ARRAY(SELECT id FROM " + kind + " WHERE name = ANY ('{" + names + "}') ORDER BY name)";
  }
  static std::string id(const std::string& kind, const std::string& name) {
    return "(SELECT id FROM " + kind + " WHERE name = '" + name + "')";
  }
  static std::string insert(const std::string& kind, const std::string& name,
                            const std::string& run_at = "now()") {
    return "INSERT INTO " + kind + " (name, run_at) VALUES ('" + name + "', " + run_at + ");";
  }
  static std::string after(const std::string& kind, const std::string& child,
                           const std::string& parents, const std::string& more = "") {
    return "SELECT rowrunner.run_after('" + kind + "', " + id(kind, child) + ", 'part', " +
           ids("part", parents) + more + ");";
  }

  void add(const std::string& names) {
    db_.exec("INSERT INTO part (name) SELECT unnest('{" + names + "}'::text[])");
  }
  /// Enqueues a job that waits for these parts; gives what run_after answered.
  std::string join(const std::string& child, const std::string& parents,
                   const std::string& more = "", const std::string& kind = "sum") {
    return db_.value(insert(kind, child) + after(kind, child, parents, more));
  }
  std::string claim(const std::string& kind) {
    return db_.value("SELECT rowrunner.claim('" + kind + "', 'tester')->>'name'");
  }
  /// Claims a part, which must be that one, and ends it as the statements of a worker do, without
  /// firing anything.
  void end(const std::string& name, const std::string& status = "succeeded") {
    ASSERT_EQ(claim("part"), name);
    db_.exec("UPDATE part SET status = '" + status + "', lease = NULL WHERE name = '" + name + "'");
  }
  static std::string call(const std::string& function, const std::string& name) {
    return "SELECT rowrunner." + function + "('part', id, lease" +
           (function == "fail" ? ", 'boom', final => true" : "") + ") FROM part WHERE name = '" +
           name + "'";
  }
  std::string fire() { return db_.value("SELECT rowrunner.fire_joins()"); }
  std::string status(const std::string& kind, const std::string& name) {
    return db_.value("SELECT status FROM " + kind + " WHERE name = '" + name + "'");
  }
  bool held(const std::string& kind, const std::string& name) {
    return db_.value(
               "SELECT status = 'queued' AND run_at = 'infinity' AND EXISTS (SELECT FROM "
               "rowrunner.waits WHERE child_id = id) FROM " +
               kind + " WHERE name = '" + name + "'") == "t";
  }
  std::string left() {
    return db_.value(
        "SELECT (SELECT count(*) FROM rowrunner.waits) || ' ' || (SELECT count(*) FROM "
        "rowrunner.edges) || ' ' || (SELECT count(*) FROM rowrunner.join_candidates)");
  }
  void TearDown() override {
    for (const std::string kind : {"part", "sum"}) {
      const auto attached = "SELECT kind FROM rowrunner.kinds WHERE kind = '" + kind + "'";
      if (db_.value(attached) == kind) {
        EXPECT_EQ(lost_jobs(db_, kind), "0 0");
      }
    }
  }

  test_database db_;
};

TEST_F(joins, a_child_runs_when_its_last_parent_has_ended) {
  add("a,b");
  EXPECT_EQ(join("total", "a,b"), "2");
  EXPECT_TRUE(held("sum", "total"));
  EXPECT_EQ(claim("sum"), "");
  end("a");
  EXPECT_EQ(fire(), "0");
  EXPECT_EQ(claim("sum"), "");
  end("b");
  EXPECT_EQ(fire(), "1");
  EXPECT_EQ(left(), "0 0 0");
  EXPECT_EQ(claim("sum"), "total");
  EXPECT_EQ(claim("sum"), "");
}

// "run" is the default: whatever ends a parent counts.
TEST_F(joins, any_end_of_a_parent_counts) {
  add("a,b,c,d,e,f");
  join("total", "a,b,c,d,e,f");
  end("a", "failed");
  db_.exec("SELECT rowrunner.cancel('part', id) FROM part WHERE name = 'b'");
  db_.exec("DELETE FROM part WHERE name = 'c'");
  db_.exec("UPDATE part SET status = 'succeeded' WHERE name = 'd'");
  ASSERT_EQ(claim("part"), "e");
  db_.exec(
      "UPDATE part SET max_attempts = 1 WHERE name = 'e'; UPDATE rowrunner.leases SET expires_at ="
      " '-infinity'; SELECT rowrunner.rescue(id) FROM rowrunner.kinds WHERE kind = 'part'");
  EXPECT_EQ(status("part", "e"), "failed");
  EXPECT_EQ(fire(), "0");
  db_.exec("TRUNCATE part");
  EXPECT_EQ(fire(), "1");
  EXPECT_EQ(claim("sum"), "total");
}

TEST_F(joins, an_empty_set_of_parents_runs_at_once) {
  add("a");
  end("a");
  EXPECT_EQ(join("none", ""), "0");
  EXPECT_EQ(join("ended", "a"), "0");
  EXPECT_EQ(left(), "0 0 0");
  EXPECT_EQ(claim("sum"), "none");
  EXPECT_EQ(claim("sum"), "ended");
}

TEST_F(joins, the_time_that_the_child_was_given_counts_when_it_fires) {
  add("a");
  db_.exec(insert("sum", "later", "now() + interval '1 hour'") + after("sum", "later", "a"));
  end("a");
  EXPECT_EQ(fire(), "1");
  EXPECT_EQ(claim("sum"), "");
  EXPECT_EQ(db_.value("SELECT round(EXTRACT(epoch FROM run_at - now()) / 60) FROM sum"), "60");
}

TEST_F(joins, parents_can_be_added_while_the_child_waits) {
  add("a,b");
  join("total", "a");
  end("a");
  EXPECT_EQ(db_.value(after("sum", "total", "b")), "1");
  EXPECT_EQ(fire(), "0");
  EXPECT_EQ(db_.value("SELECT parents FROM rowrunner.waits"), "2");
  end("b");
  EXPECT_EQ(fire(), "1");
}

TEST_F(joins, a_child_that_has_fired_gets_no_more_parents) {
  add("a,b");
  join("total", "a");
  end("a");
  ASSERT_EQ(fire(), "1");
  EXPECT_THAT(error_of(db_, after("sum", "total", "b")), HasSubstr("does not wait for others"));
  EXPECT_EQ(claim("sum"), "total");
  EXPECT_THAT(error_of(db_, after("sum", "total", "b")), HasSubstr("it is processing"));
  db_.exec(insert("sum", "plain"));
  EXPECT_THAT(error_of(db_, after("sum", "plain", "b")), HasSubstr("does not wait for others"));
}

TEST_F(joins, a_child_that_was_enqueued_in_a_subtransaction_can_wait) {
  add("a");
  db_.exec("SAVEPOINT s;" + insert("sum", "total") + "RELEASE s;" + after("sum", "total", "a"));
  EXPECT_TRUE(held("sum", "total"));
}

TEST_F(joins, a_parent_that_is_queued_again_does_not_fire_a_second_time) {
  add("a,b");
  join("total", "a,b");
  end("a", "failed");
  db_.exec("SELECT rowrunner.requeue('part', id) FROM part WHERE name = 'a'");
  end("b");
  EXPECT_EQ(fire(), "1");
  ASSERT_EQ(claim("sum"), "total");
  end("a");
  EXPECT_EQ(fire(), "0");
  EXPECT_EQ(claim("sum"), "");
}

TEST_F(joins, hold_waits_until_a_failed_parent_has_succeeded) {
  add("a,b");
  join("total", "a,b", ", when_failed => 'hold'");
  end("a", "failed");
  end("b");
  EXPECT_EQ(fire(), "0");
  db_.exec("SELECT * FROM rowrunner.sweep(); SELECT * FROM rowrunner.repair('part')");
  EXPECT_EQ(fire(), "0");
  EXPECT_TRUE(held("sum", "total"));
  db_.exec("SELECT rowrunner.requeue('part', id) FROM part WHERE name = 'a'");
  EXPECT_EQ(fire(), "0");
  end("a");
  EXPECT_EQ(fire(), "1");
  EXPECT_EQ(claim("sum"), "total");
}

TEST_F(joins, hold_waits_for_a_parent_that_had_failed_before) {
  add("a");
  end("a", "failed");
  EXPECT_EQ(join("total", "a", ", when_failed => 'hold'"), "1");
  EXPECT_EQ(fire(), "0");
  db_.exec("SELECT rowrunner.requeue('part', id) FROM part");
  end("a");
  EXPECT_EQ(fire(), "1");
}

TEST_F(joins, cancel_cancels_the_child_and_what_waits_for_it) {
  add("a,b");
  join("c", "a,b", ", when_failed => 'cancel'", "part");
  join("d", "c", ", when_failed => 'cancel'", "part");
  join("e", "d");
  end("a", "failed");
  EXPECT_EQ(fire(), "3");
  EXPECT_EQ(status("part", "c"), "cancelled");
  EXPECT_EQ(status("part", "d"), "cancelled");
  EXPECT_THAT(db_.value("SELECT last_error FROM part WHERE name = 'c'"),
              HasSubstr("of kind part, which it waited for, did not succeed"));
  EXPECT_EQ(left(), "0 0 0");
  EXPECT_EQ(claim("sum"), "e");  // of the policy run
}

TEST_F(joins, cancel_knows_a_parent_that_had_failed_before) {
  add("a,b");
  end("a", "failed");
  join("total", "a,b", ", when_failed => 'cancel'");
  EXPECT_EQ(fire(), "1");
  EXPECT_EQ(status("sum", "total"), "cancelled");
}

TEST_F(joins, at_latest_lets_a_child_run_without_its_parents) {
  add("a");
  join("soon", "a", ", when_failed => 'hold', at_latest => '0'");
  join("late", "a", ", at_latest => '1 hour'");
  EXPECT_EQ(fire(), "1");
  EXPECT_EQ(claim("sum"), "soon");
  EXPECT_EQ(left(), "1 1 0");
}

TEST_F(joins, a_chain_and_a_diamond_run_in_their_order) {
  add("top");
  join("left", "top", "", "part");
  join("right", "top", "", "part");
  join("bottom", "left,right", "", "part");
  EXPECT_EQ(claim("part"), "top");
  EXPECT_EQ(claim("part"), "");
  db_.exec("UPDATE part SET status = 'succeeded' WHERE name = 'top'");
  EXPECT_EQ(fire(), "2");
  end("left");
  EXPECT_EQ(fire(), "0");
  end("right");
  EXPECT_EQ(fire(), "1");
  EXPECT_EQ(claim("part"), "bottom");
}

TEST_F(joins, nothing_that_people_write_lets_a_held_child_run) {
  add("a");
  join("total", "a");
  for (const std::string change :
       {"priority = 5", "run_at = now() - interval '1 hour'", "status = 'queued', attempts = 0",
        "run_at = now() + interval '1 day'", "run_at = '-infinity', priority = 2"}) {
    db_.exec("UPDATE sum SET " + change);
    EXPECT_TRUE(held("sum", "total")) << change;
    EXPECT_EQ(claim("sum"), "") << change;
  }
  EXPECT_EQ(db_.value("SELECT run_at FROM rowrunner.waits"), "-infinity");
  EXPECT_EQ(db_.value("SELECT rowrunner.requeue('sum', id) FROM sum"), "f");
  EXPECT_EQ(db_.value("SELECT rowrunner.enqueue_again('sum', id) FROM sum"), "f");
  EXPECT_EQ(db_.value("SELECT queued + delayed FROM rowrunner.repair('sum')"), "0");
  db_.exec("SELECT * FROM rowrunner.sweep()");
  EXPECT_EQ(claim("sum"), "");
  EXPECT_TRUE(held("sum", "total"));
  end("a");
  EXPECT_EQ(fire(), "1");
  EXPECT_EQ(claim("sum"), "total");
}

// With the triggers disabled its row was ended and its waits row stayed.
TEST_F(joins, a_child_that_is_queued_again_waits_while_its_waits_row_exists) {
  add("a");
  join("total", "a");
  db_.exec(
      "ALTER TABLE sum DISABLE TRIGGER rowrunner_update; UPDATE sum SET status = 'cancelled';"
      "ALTER TABLE sum ENABLE TRIGGER rowrunner_update");
  EXPECT_EQ(db_.value("SELECT rowrunner.requeue('sum', id) FROM sum"), "t");
  EXPECT_TRUE(held("sum", "total"));
  EXPECT_EQ(claim("sum"), "");
}

TEST_F(joins, a_cancelled_or_deleted_child_waits_no_longer) {
  add("a");
  for (const std::string ending :
       {"SELECT rowrunner.cancel('sum', id) FROM sum", "UPDATE sum SET status = 'cancelled'",
        "DELETE FROM sum", "TRUNCATE sum", "SELECT rowrunner.detach('sum')"}) {
    join("total", "a");
    EXPECT_EQ(left(), "1 1 0") << ending;
    db_.exec(ending);
    EXPECT_EQ(left(), "0 0 0") << ending;
    if (ending.starts_with("SELECT rowrunner.detach")) break;
    db_.exec("DELETE FROM sum");
  }
  EXPECT_EQ(db_.value("SELECT run_at < 'infinity' FROM sum"), "t");  // it is an ordinary row again
}

TEST_F(joins, a_cancelled_child_can_be_queued_again_and_runs) {
  add("a");
  join("total", "a");
  db_.exec(
      "SELECT rowrunner.cancel('sum', id) FROM sum; SELECT rowrunner.requeue('sum', id) FROM sum");
  EXPECT_EQ(claim("sum"), "total");
  end("a");
  EXPECT_EQ(fire(), "0");
}

TEST_F(joins, a_cancel_can_take_what_waits_for_the_job_with_it) {
  add("a");
  join("b", "a", "", "part");
  join("c", "a,b", "", "part");
  join("total", "c");
  join("other", "a", "", "sum");
  EXPECT_EQ(db_.value("SELECT rowrunner.cancel('part', id, 'enough', cascade => true) FROM part"
                      " WHERE name = 'a'"),
            "cancelled");
  EXPECT_EQ(db_.value("SELECT string_agg(DISTINCT status || ' ' || last_error, ', ') FROM"
                      " (SELECT * FROM part UNION ALL SELECT * FROM sum) j"),
            "cancelled cancelled: enough");
  EXPECT_EQ(fire(), "0");
  EXPECT_EQ(left(), "0 0 0");
}

TEST_F(joins, detaching_the_kind_of_the_parents_counts_as_their_end) {
  add("a");
  join("runs", "a");
  join("ends", "a", ", when_failed => 'cancel'");
  db_.exec("SELECT rowrunner.detach('part')");
  EXPECT_EQ(fire(), "2");
  EXPECT_EQ(claim("sum"), "runs");
  EXPECT_EQ(status("sum", "ends"), "cancelled");
}

TEST_F(joins, a_sweep_finds_ends_that_no_trigger_saw) {
  add("a,b,c");
  join("one", "a");
  join("two", "b");
  join("three", "c");
  db_.exec(
      "SET session_replication_role = replica; UPDATE part SET status = 'succeeded' WHERE name = "
      "'a';"
      "DELETE FROM part WHERE name = 'b'; RESET session_replication_role");
  EXPECT_EQ(fire(), "0");
  db_.exec("SELECT * FROM rowrunner.sweep()");
  EXPECT_EQ(fire(), "2");
  EXPECT_EQ(left(), "1 1 0");
  db_.exec("SET session_replication_role = replica; TRUNCATE part; RESET session_replication_role");
  db_.exec("SELECT * FROM rowrunner.repair('part')");
  EXPECT_EQ(fire(), "1");
}

TEST_F(joins, a_claim_in_sql_fires_what_is_ready) {
  add("a");
  join("total", "a");
  end("a");
  EXPECT_EQ(claim("sum"), "total");
}

TEST_F(joins, a_claim_in_sql_fires_what_its_rescue_made_ready) {
  add("a");
  join("b", "a", "", "part");
  ASSERT_EQ(claim("part"), "a");
  db_.exec(
      "UPDATE part SET max_attempts = 1; UPDATE rowrunner.leases SET expires_at = '-infinity'");
  EXPECT_EQ(claim("part"), "b");
}

TEST_F(joins, an_end_in_sql_fires_what_it_makes_ready_in_its_own_transaction) {
  for (const std::string how : {"succeed", "fail"}) {
    add(how);
    join("after " + how, how);
    ASSERT_EQ(claim("part"), how);
    pqxx::connection other(db_.url());
    pqxx::work tx(other);
    tx.exec(call(how, how));
    EXPECT_TRUE(held("sum", "after " + how));
    tx.commit();
    EXPECT_EQ(left(), "0 0 0");
    EXPECT_EQ(db_.value("SELECT run_at <= now() FROM sum WHERE name = 'after " + how + "'"), "t")
        << "before any claim";
    EXPECT_EQ(claim("sum"), "after " + how);
  }
}

TEST_F(joins, an_attempt_that_fails_in_sql_fires_nothing_while_another_one_is_left) {
  add("a");
  join("total", "a");
  ASSERT_EQ(claim("part"), "a");
  EXPECT_EQ(db_.value("SELECT rowrunner.fail('part', id, lease, 'boom') FROM part"), "queued");
  EXPECT_TRUE(held("sum", "total"));
  EXPECT_EQ(left(), "1 1 0");
}

// Neither of two ends sees the other one, so neither fires; the next claim does.
TEST_F(joins, two_last_ends_in_sql_at_the_same_time_fire_once) {
  add("a,b");
  join("total", "a,b");
  ASSERT_EQ(claim("part"), "a");
  ASSERT_EQ(claim("part"), "b");
  pqxx::connection other(db_.url());
  pqxx::work tx(other);
  tx.exec(call("succeed", "a"));
  db_.exec(call("succeed", "b"));
  tx.commit();
  EXPECT_TRUE(held("sum", "total"));
  EXPECT_EQ(claim("sum"), "total");
  EXPECT_EQ(claim("sum"), "");
  EXPECT_EQ(left(), "0 0 0");
}

// It could not see an edge that was added after its snapshot.
TEST_F(joins, nothing_fires_in_a_transaction_with_an_old_snapshot) {
  add("a");
  join("total", "a");
  end("a");
  EXPECT_EQ(
      db_.value("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ; SELECT rowrunner.fire_joins()"),
      "0");
  EXPECT_EQ(fire(), "1");
}

TEST_F(joins, a_child_whose_row_is_locked_is_left_for_the_next_time) {
  add("a");
  join("total", "a");
  end("a");
  pqxx::connection other(db_.url());
  pqxx::work tx(other);
  tx.exec("SELECT FROM sum FOR UPDATE");
  EXPECT_EQ(fire(), "0");
  EXPECT_TRUE(held("sum", "total"));
  tx.abort();
  EXPECT_EQ(fire(), "1");
}

// A cancel of the child that does not commit holds its edges while the parent ends.
TEST_F(joins, an_edge_that_is_locked_at_the_end_of_its_parent_is_removed_later) {
  add("a,b");
  join("total", "a,b");
  pqxx::connection other(db_.url());
  pqxx::work tx(other);
  tx.exec("SELECT rowrunner.cancel('sum', id) FROM sum");
  end("a");
  tx.abort();
  EXPECT_EQ(fire(), "0");
  EXPECT_EQ(left(), "1 1 0");
  end("b");
  EXPECT_EQ(fire(), "1");
}

TEST_F(joins, a_child_that_cannot_be_written_does_not_hold_up_the_others) {
  add("a");
  join("bad", "a");
  join("good", "a");
  db_.exec(
      "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS"
      " 'BEGIN RAISE EXCEPTION ''no''; END';"
      "CREATE TRIGGER refuse BEFORE UPDATE ON sum FOR EACH ROW WHEN (NEW.name = 'bad')"
      " EXECUTE FUNCTION refuse()");
  end("a");
  EXPECT_EQ(fire(), "1");
  EXPECT_EQ(claim("sum"), "good");
  EXPECT_TRUE(held("sum", "bad"));
  db_.exec("DROP TRIGGER refuse ON sum; SELECT * FROM rowrunner.sweep()");
  EXPECT_EQ(fire(), "1");
  EXPECT_EQ(claim("sum"), "bad");
}

TEST_F(joins, bad_input_is_refused) {
  add("a,b");
  db_.exec(insert("sum", "plain"));
  join("total", "a");
  join("c", "a", "", "part");
  join("d", "c", "", "part");
  const auto error = [&](const std::string& arguments) {
    return error_of(db_, insert("sum", "x") + "SELECT rowrunner.run_after('sum', " +
                             id("sum", "x") + ", " + arguments + ")");
  };
  EXPECT_THAT(error("'nothing', '{}'"), HasSubstr("unknown kind 'nothing'"));
  EXPECT_THAT(error("'sum', " + ids("sum", "plain")), HasSubstr("attached without joins"));
  EXPECT_THAT(error("'part', NULL"), HasSubstr("parent_ids is NULL"));
  EXPECT_THAT(error("'part', ARRAY[NULL::uuid]"), HasSubstr("is NULL"));
  EXPECT_THAT(error("'part', ARRAY[gen_random_uuid()]"), HasSubstr("there is no job"));
  EXPECT_THAT(error("'part', array_fill(gen_random_uuid(), '{100001}')"),
              HasSubstr("100000 at most"));
  EXPECT_THAT(error("'part', '{}', when_failed => 'stop'"), HasSubstr("run, cancel or hold"));
  EXPECT_THAT(error("'part', '{}', at_latest => '-1 s'"), HasSubstr("must not be negative"));
  EXPECT_THAT(error_of(db_, after("part", "c", "c")), HasSubstr("cannot wait for itself"));
  EXPECT_THAT(error_of(db_, after("part", "c", "d")), HasSubstr("which waits for it"));
  EXPECT_THAT(error_of(db_, after("sum", "total", "b", ", when_failed => 'hold'")),
              HasSubstr("cannot change"));
  EXPECT_THAT(error_of(db_, "SELECT rowrunner.run_after('sum', gen_random_uuid(), 'part', '{}')"),
              HasSubstr("there is no job"));
  EXPECT_EQ(left(), "3 3 0");
}

TEST_F(joins, a_kind_cannot_lose_its_joins) {
  db_.exec("SELECT rowrunner.attach('part', kind => 'part')");
  EXPECT_EQ(db_.value("SELECT joins FROM rowrunner.kinds WHERE kind = 'part'"), "t");
  EXPECT_THAT(error_of(db_, "SELECT rowrunner.attach('part', kind => 'part', joins => false)"),
              HasSubstr("cannot be undone"));
  db_.exec("SELECT rowrunner.attach('sum', kind => 'sum', joins => true)");
  EXPECT_EQ(db_.value("SELECT count(*) FROM pg_trigger WHERE tgname LIKE 'rowrunner_parent%'"),
            "4");
}

TEST_F(joins, attach_keeps_the_columns_of_owner_and_public_id) {
  db_.exec("ALTER TABLE sum ADD user_id uuid, ADD job_id text, ADD n integer");
  const auto error = [&](const std::string& more) {
    return error_of(db_, "SELECT rowrunner.attach('sum', kind => 'sum', " + more + ")");
  };
  EXPECT_THAT(error("owner => 'who'"), HasSubstr("there is no such column"));
  EXPECT_THAT(error("owner => 'n'"), HasSubstr("is integer, must be text or uuid"));
  EXPECT_THAT(error("public_id => 'user_id'"), HasSubstr("is uuid, must be text"));
  EXPECT_THAT(error("public_id => 'job_id'"), HasSubstr("must be NOT NULL"));
  db_.exec("ALTER TABLE sum ALTER job_id SET NOT NULL");
  EXPECT_THAT(error("public_id => 'job_id'"), HasSubstr("needs a unique index"));
  db_.exec("CREATE UNIQUE INDEX ON sum (job_id)");
  EXPECT_EQ(error("public_id => 'job_id', owner => 'user_id'"), "");
  db_.exec("SELECT rowrunner.attach('sum', kind => 'sum')");
  EXPECT_EQ(db_.value("SELECT owner_column || ' ' || public_id_column FROM rowrunner.kinds"
                      " WHERE kind = 'sum'"),
            "user_id job_id");
}

TEST_F(joins, from_cpp) {
  add("a");
  const auto part = db_.value("SELECT id FROM part");
  pqxx::work tx(db_.connection());
  new_job job;
  job.columns["name"] = "total";
  const auto child = enqueue(tx, "sum", job).value();
  EXPECT_EQ(run_after(tx, {"sum", child, "part", {part}, when_failed::hold, std::chrono::hours(1)}),
            1);
  EXPECT_THROW(run_after(tx, {"sum", "x", "part", {}}), bad_input);
  EXPECT_THROW(run_after(tx, {"sum", child, "part", {"x"}}), bad_input);
  EXPECT_THROW(run_after(tx, {"sum", child, "part", std::vector<std::string>(100'001, part)}),
               bad_input);
  tx.commit();
  EXPECT_TRUE(held("sum", "total"));
  EXPECT_EQ(db_.value("SELECT when_failed FROM rowrunner.waits WHERE at_latest > now()"), "hold");
}

TEST_F(joins, effects_enqueue_children_and_let_them_wait) {
  add("a");
  pqxx::work tx(db_.connection());
  new_job job;
  job.columns["name"] = "total";
  job.id = new_job_id();
  const auto born = enqueue_effect(find_job_table(tx, "sum"), job);
  const auto part = tx.exec("SELECT id FROM part")[0][0].as<std::string>();
  const auto waits = run_after_effect({"sum", *job.id, "part", {part}});
  for (const auto& each : {born, waits}) pg::exec_each(tx, each.sql, each.params);
  tx.commit();
  EXPECT_TRUE(held("sum", "total"));
  end("a");
  EXPECT_EQ(fire(), "1");
}

// A worker of the kind polls, and fires the joins of every kind.
TEST(joins_of_a_worker, fire_and_run_within_a_drain) {
  jobs_database db;
  db.exec("SELECT rowrunner.attach('test_jobs', kind => 'test', joins => true)");
  for (int i = 0; i < 10; ++i) db.add("part" + std::to_string(i));
  db.exec(
      "INSERT INTO test_jobs (name) VALUES ('total'); SELECT rowrunner.run_after('test',"
      " (SELECT id FROM test_jobs WHERE name = 'total'), 'test',"
      " ARRAY(SELECT id FROM test_jobs WHERE name LIKE 'part%'));"
      "INSERT INTO test_jobs (name) VALUES ('after'); SELECT rowrunner.run_after('test',"
      " (SELECT id FROM test_jobs WHERE name = 'after'), 'test',"
      " ARRAY(SELECT id FROM test_jobs WHERE name = 'total'))");
  auto options = worker_thread::options_for(db);
  options.drain = true;
  options.poll_min = options.poll_max = std::chrono::hours{24};
  const auto counts =
      worker_thread(std::move(options), [](worker& w) { w.add(test_kind(), run_test_job); }).join();
  EXPECT_EQ(counts.succeeded, 12);
  EXPECT_EQ(db.value("SELECT string_agg(name, ' ' ORDER BY n) FROM history WHERE after ="
                     " 'processing' AND name NOT LIKE 'part%'"),
            "total after");
  EXPECT_TRUE(db.violations().empty());
}

TEST(joins_of_a_worker, run_within_two_seconds_of_the_last_end) {
  jobs_database db;
  db.exec("SELECT rowrunner.attach('test_jobs', kind => 'test', joins => true)");
  worker_thread worker(db);
  db.exec(
      "INSERT INTO test_jobs (name) VALUES ('part'); INSERT INTO test_jobs (name) VALUES ('total');"
      "SELECT rowrunner.run_after('test', (SELECT id FROM test_jobs WHERE name = 'total'), 'test',"
      " ARRAY(SELECT id FROM test_jobs WHERE name = 'part'))");
  ASSERT_TRUE(db.reaches("total", "succeeded"));
  EXPECT_EQ(db.value("SELECT max(at) - min(at) < interval '2 seconds' FROM history WHERE"
                     " (name, after) IN (('part', 'succeeded'), ('total', 'processing'))"),
            "t");
}

}  // namespace
}  // namespace rowrunner::testing
