// A job that runs after others: when it runs, and what its parents' ends mean for it.

#include "integration/joins_fixture.hpp"

namespace rowrunner::testing {
namespace {

using ::testing::HasSubstr;

using joins = joins_fixture;

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

// The parents among them are looked for between the first and the last, where others may be.
TEST_F(joins, the_few_parents_of_many_jobs_that_end_in_one_statement_are_found) {
  db_.exec(
      "INSERT INTO part (id, name) SELECT lpad(to_hex(i), 32, '0')::uuid, 'n' || i"
      " FROM generate_series(1, 100) i");
  for (const std::string name : {"n1", "n2", "n50", "n51", "n99", "n100"})
    join("after " + name, name, ", when_failed => 'cancel'");
  join("also after n50", "n50", ", when_failed => 'cancel'");
  db_.exec(
      "UPDATE part SET status = CASE WHEN name IN ('n2', 'n99') THEN 'failed' ELSE 'succeeded' END"
      " WHERE name <> 'n51'");
  EXPECT_EQ(fire(), "6");
  EXPECT_EQ(left(), "1 1 0");
  EXPECT_TRUE(held("sum", "after n51"));
  EXPECT_EQ(db_.value("SELECT string_agg(name, ', ' ORDER BY name) FROM sum"
                      " WHERE status = 'cancelled'"),
            "after n2, after n99");
}

TEST_F(joins, parents_that_end_in_one_statement_need_not_be_few) {
  add("a,b,c,d,e,f");
  for (const std::string name : {"a", "b", "c", "d", "e"})
    join("after " + name, name, ", when_failed => 'cancel'");
  db_.exec(
      "UPDATE part SET status = CASE name WHEN 'b' THEN 'failed' ELSE 'succeeded' END"
      " WHERE name <> 'e'");
  EXPECT_EQ(fire(), "4");
  EXPECT_EQ(left(), "1 1 0");
  EXPECT_EQ(status("sum", "after b"), "cancelled");
  EXPECT_EQ(status("sum", "after c"), "queued");
}

}  // namespace
}  // namespace rowrunner::testing
