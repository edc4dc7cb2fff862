// Who lets a job run whose parents have ended, and what may be in the way.

#include <future>

#include "integration/joins_fixture.hpp"
#include "support/worker_thread.hpp"

namespace rowrunner::testing {
namespace {

using joins_fire = joins_fixture;

TEST_F(joins_fire, a_claim_in_sql_fires_what_is_ready) {
  add("a");
  join("total", "a");
  end("a");
  EXPECT_EQ(claim("sum"), "total");
}

TEST_F(joins_fire, a_claim_in_sql_fires_what_its_rescue_made_ready) {
  add("a");
  join("b", "a", "", "part");
  ASSERT_EQ(claim("part"), "a");
  db_.exec(
      "UPDATE part SET max_attempts = 1; UPDATE rowrunner.leases SET expires_at = '-infinity'");
  EXPECT_EQ(claim("part"), "b");
}

TEST_F(joins_fire, an_end_in_sql_fires_what_it_makes_ready_in_its_own_transaction) {
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

TEST_F(joins_fire, an_attempt_that_fails_in_sql_fires_nothing_while_another_one_is_left) {
  add("a");
  join("total", "a");
  ASSERT_EQ(claim("part"), "a");
  EXPECT_EQ(db_.value("SELECT rowrunner.fail('part', id, lease, 'boom') FROM part"), "queued");
  EXPECT_TRUE(held("sum", "total"));
  EXPECT_EQ(left(), "1 1 0");
}

// Neither of two ends sees the other one, so neither fires; the next claim does.
TEST_F(joins_fire, two_last_ends_in_sql_at_the_same_time_fire_once) {
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
TEST_F(joins_fire, nothing_fires_in_a_transaction_with_an_old_snapshot) {
  add("a");
  join("total", "a");
  end("a");
  EXPECT_EQ(
      db_.value("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ; SELECT rowrunner.fire_joins()"),
      "0");
  EXPECT_EQ(fire(), "1");
}

// The trigger of such an end does not see an edge that was committed after its snapshot was taken.
TEST_F(joins_fire, an_end_with_an_old_snapshot_counts_for_an_edge_that_it_does_not_see) {
  const std::vector<std::string> ends = {"UPDATE part SET status = 'succeeded', lease = NULL",
                                         "UPDATE part SET status = 'failed', lease = NULL",
                                         "DELETE FROM part"};
  for (const std::string level : {"REPEATABLE READ", "SERIALIZABLE"}) {
    for (std::size_t i = 0; i < ends.size(); ++i) {
      const auto part = level + std::to_string(i);
      add(part);
      ASSERT_EQ(claim("part"), part);
      pqxx::connection other(db_.url());
      pqxx::nontransaction session(other);
      session.exec("BEGIN ISOLATION LEVEL " + level + "; SELECT");
      join("after " + part, part);
      session.exec(ends[i] + " WHERE name = '" + part + "'; COMMIT");
      EXPECT_EQ(fire(), "1") << part;
      EXPECT_EQ(claim("sum"), "after " + part);
      EXPECT_EQ(left(), "0 0 0");
    }
  }
}

// What it noted must not remove the edge to the next run of the parent.
TEST_F(joins_fire, a_parent_that_ended_with_an_old_snapshot_and_runs_again_is_waited_for) {
  add("a");
  ASSERT_EQ(claim("part"), "a");
  db_.exec("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ; UPDATE part SET status = 'failed'");
  db_.exec("SELECT rowrunner.requeue('part', id) FROM part");
  join("total", "a");
  EXPECT_EQ(fire(), "0");
  EXPECT_EQ(left(), "1 1 0");
  end("a");
  EXPECT_EQ(fire(), "1");
}

/// Waits until the second session waits for a lock of the first one.
void wait_for_blocked(test_database& db, int holder, int waiter) {
  const auto blocked = "SELECT " + std::to_string(holder) + " = ANY (pg_blocking_pids(" +
                       std::to_string(waiter) + "))";
  while (db.value(blocked) != "t") {
  }
}

// The edge that is missed is removed while its parent is queued again, and named again before that
// has committed.
TEST_F(joins_fire, a_missed_edge_that_is_removed_leaves_the_one_to_the_next_run_of_its_parent) {
  add("a,b");
  join("total", "a,b");
  ASSERT_EQ(claim("part"), "a");
  db_.exec(
      "ALTER TABLE part DISABLE TRIGGER USER; UPDATE part SET status = 'failed', lease = NULL WHERE"
      " name = 'a'; ALTER TABLE part ENABLE TRIGGER USER; INSERT INTO rowrunner.join_candidates"
      " (parent_kind, parent_id) SELECT k.id, p.id FROM rowrunner.kinds k, part p"
      " WHERE k.kind = 'part' AND p.name = 'a'");
  pqxx::connection one(db_.url()), two(db_.url()), three(db_.url());
  pqxx::work requeue(one), fires(two), joins(three);
  requeue.exec("SELECT rowrunner.requeue('part', id) FROM part WHERE name = 'a'");
  auto joined = std::async(std::launch::async, [&] { joins.exec(after("sum", "total", "a")); });
  wait_for_blocked(db_, one.backendpid(), three.backendpid());
  fires.exec("SELECT rowrunner.fire_joins()");
  requeue.commit();
  wait_for_blocked(db_, two.backendpid(), three.backendpid());
  fires.commit();
  joined.get();
  joins.commit();
  EXPECT_EQ(fire(), "0");
  EXPECT_EQ(left(), "1 2 0");
}

TEST_F(joins_fire, a_locked_table_of_parents_with_old_snapshots_does_not_hold_up_others) {
  db_.exec("CREATE TABLE other (" + job_columns() +
           "); SELECT rowrunner.attach('other', kind => 'other', joins => true);"
           "INSERT INTO other (name) VALUES ('b')");
  add("a");
  ASSERT_EQ(claim("part"), "a");
  pqxx::connection old(db_.url());
  pqxx::nontransaction session(old);
  session.exec("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT");
  join("after a", "a");
  session.exec("UPDATE part SET status = 'succeeded'; COMMIT");
  db_.exec(insert("sum", "after b") +
           "SELECT rowrunner.run_after('sum', (SELECT id FROM sum WHERE name = 'after b'), 'other',"
           " ARRAY(SELECT id FROM other)); UPDATE other SET status = 'succeeded'");
  pqxx::connection blocker(db_.url());
  pqxx::work tx(blocker);
  tx.exec("LOCK TABLE part");
  EXPECT_EQ(fire(), "1");
  EXPECT_EQ(claim("sum"), "after b");
  tx.abort();
  EXPECT_EQ(fire(), "1");
  EXPECT_EQ(claim("sum"), "after a");
  EXPECT_EQ(left(), "0 0 0");
}

TEST_F(joins_fire, a_child_whose_row_is_locked_is_left_for_the_next_time) {
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
TEST_F(joins_fire, an_edge_that_is_locked_at_the_end_of_its_parent_is_removed_later) {
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

TEST_F(joins_fire, a_child_that_cannot_be_written_does_not_hold_up_the_others) {
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

/// Ten parts, one that waits for them, one that waits for that one, and a worker that drains them.
void drain_a_chain_of_joins(jobs_database& db) {
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

// Claims wait for it: they use the same connection.
TEST_F(joins_fire, a_worker_fires_without_waiting_for_the_disk) {
  db_.exec(
      "CREATE TABLE seen (how text); GRANT ALL ON seen TO PUBLIC;"
      "CREATE FUNCTION see() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO public.seen"
      " VALUES (current_setting('synchronous_commit') || ' ' || current_setting('lock_timeout'));"
      " RETURN NULL; END $$;"
      "CREATE CONSTRAINT TRIGGER see AFTER UPDATE ON sum DEFERRABLE INITIALLY DEFERRED FOR EACH ROW"
      " WHEN (OLD.run_at = 'infinity') EXECUTE FUNCTION see()");
  add("a");
  join("total", "a");
  end("a");
  auto options = worker_thread::options_for(db_);
  options.drain = true;
  kind_options kind;
  kind.kind = "sum";
  worker_thread(std::move(options), [&](worker& w) {
    w.add_blocking(kind, [](blocking_job&) -> outcome { return succeeded{}; });
  }).join();
  EXPECT_EQ(status("sum", "total"), "succeeded");
  EXPECT_EQ(db_.value("SELECT how FROM seen"), "off 100ms");
}

// A worker of the kind polls, and fires the joins of every kind.
TEST(joins_of_a_worker, fire_and_run_within_a_drain) {
  jobs_database db;
  drain_a_chain_of_joins(db);
}

TEST(joins_of_a_worker, fire_where_transactions_are_serializable_by_default) {
  jobs_database db;
  db.exec(
      "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET default_transaction_isolation ="
      " serializable', current_database()); END $$");
  drain_a_chain_of_joins(db);
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
