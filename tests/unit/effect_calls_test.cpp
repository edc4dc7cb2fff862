#include "worker/effect_calls.hpp"

#include <gtest/gtest.h>

namespace rowrunner {
namespace {

TEST(effect_calls, know_what_leaves_the_transaction) {
  for (const char* sql :
       {"COMMIT", "commit;", " \n\tEnd", "-- why\nROLLBACK", "/* a /* b */ c */ABORT", "; begin",
        "START TRANSACTION", "PREPARE TRANSACTION 'x'", "COPY t FROM STDIN", "rollback to s",
        "/**/--\n/* */ COMMIT AND CHAIN"}) {
    EXPECT_TRUE(leaves_transaction(sql)) << sql;
  }
  for (const char* sql : {"", "INSERT INTO t VALUES ('COMMIT')", "/* COMMIT */ SELECT 1",
                          "-- COMMIT", "/* COMMIT", "endless", "commit_all()", "SELECT 1; COMMIT",
                          "WITH x AS (SELECT 1) SELECT 1", "DO $$ BEGIN END $$", "\"COMMIT\""}) {
    EXPECT_FALSE(leaves_transaction(sql)) << sql;
  }
}

TEST(effect_calls, refuse_an_effect_that_ends_the_transaction) {
  effect_calls effects;
  std::vector<pg::call> calls;
  const std::vector<effect> given{{"SELECT $1", {"x"}}, {"COMMIT", {}}};
  EXPECT_THROW(effects.append_to(calls, given), pg::query_error);
}

// Engine statements have names; only theirs are about the worker's own connection.
TEST(effect_calls, take_no_error_of_an_effect_for_a_lost_connection) {
  EXPECT_EQ(effect_sqlstate(pg::query_error("25006", "read-only", "")), "38000");
  EXPECT_EQ(effect_sqlstate(pg::query_error("25006", "read-only", "succeed")), "25006");
  EXPECT_EQ(effect_sqlstate(pg::query_error("40001", "again", "")), "40001");
  EXPECT_EQ(effect_sqlstate(pg::query_error("23505", "twice", "")), "23505");
}

}  // namespace
}  // namespace rowrunner
