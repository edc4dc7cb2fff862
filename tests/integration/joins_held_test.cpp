// A job that waits for others: what holds it, and what ends its wait.

#include "integration/joins_fixture.hpp"
#include "support/command.hpp"

namespace rowrunner::testing {
namespace {

using joins_held = joins_fixture;

TEST_F(joins_held, nothing_that_people_write_lets_a_held_child_run) {
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

TEST_F(joins_held, the_commands_tell_of_a_held_child_apart_and_leave_it_held) {
  add("a");
  join("total", "a");
  const command rowrunner(db_);
  for (const auto& kind : rowrunner.parsed({"stats"}).at("kinds")) {
    const bool has_child = kind.at("kind") == "sum";
    EXPECT_EQ(kind.at("held"), has_child ? 1 : 0) << kind;
    EXPECT_EQ(kind.at("waiting"), has_child ? 0 : 1) << kind;
    EXPECT_EQ(kind.at("delayed"), 0) << kind;
  }
  EXPECT_THAT(rowrunner.run({"doctor", "--fix"}).out, Not(::testing::HasSubstr("entries")));
  EXPECT_TRUE(held("sum", "total"));
  const auto parent = db_.value("SELECT id FROM part");
  rowrunner.out({"jobs", "cancel", parent, "--cascade", "--reason", "not needed"});
  EXPECT_EQ(status("part", "a"), "cancelled");
  EXPECT_EQ(status("sum", "total"), "cancelled");
  EXPECT_EQ(left(), "0 0 0");
}

// With the triggers disabled its row was ended and its waits row stayed.
TEST_F(joins_held, a_child_that_is_queued_again_waits_while_its_waits_row_exists) {
  add("a");
  join("total", "a");
  db_.exec(
      "ALTER TABLE sum DISABLE TRIGGER rowrunner_update; UPDATE sum SET status = 'cancelled';"
      "ALTER TABLE sum ENABLE TRIGGER rowrunner_update");
  EXPECT_EQ(db_.value("SELECT rowrunner.requeue('sum', id) FROM sum"), "t");
  EXPECT_TRUE(held("sum", "total"));
  EXPECT_EQ(claim("sum"), "");
}

TEST_F(joins_held, a_cancelled_or_deleted_child_waits_no_longer) {
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

TEST_F(joins_held, a_cancelled_child_can_be_queued_again_and_runs) {
  add("a");
  join("total", "a");
  db_.exec(
      "SELECT rowrunner.cancel('sum', id) FROM sum; SELECT rowrunner.requeue('sum', id) FROM sum");
  EXPECT_EQ(claim("sum"), "total");
  end("a");
  EXPECT_EQ(fire(), "0");
}

TEST_F(joins_held, a_cancel_can_take_what_waits_for_the_job_with_it) {
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

// Its edge was locked when it fired.
TEST_F(joins_held, a_cancel_leaves_a_child_alone_that_waits_no_longer) {
  add("a");
  join("total", "a", ", at_latest => '0'");
  EXPECT_EQ(fire(), "1");
  EXPECT_EQ(claim("sum"), "total");
  db_.exec(
      "INSERT INTO rowrunner.edges SELECT p.id, a.id, s.id, t.id FROM rowrunner.kinds p,"
      " rowrunner.kinds s, part a, sum t WHERE p.kind = 'part' AND s.kind = 'sum'");
  EXPECT_EQ(db_.value("SELECT rowrunner.cancel('part', id, cascade => true) FROM part"),
            "cancelled");
  EXPECT_EQ(db_.value("SELECT count(*) FROM rowrunner.cancellations"), "0");
}

TEST_F(joins_held, detaching_the_kind_of_the_parents_counts_as_their_end) {
  add("a");
  join("runs", "a");
  join("ends", "a", ", when_failed => 'cancel'");
  db_.exec("SELECT rowrunner.detach('part')");
  EXPECT_EQ(fire(), "2");
  EXPECT_EQ(claim("sum"), "runs");
  EXPECT_EQ(status("sum", "ends"), "cancelled");
}

TEST_F(joins_held, a_sweep_finds_ends_that_no_trigger_saw) {
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

}  // namespace
}  // namespace rowrunner::testing
