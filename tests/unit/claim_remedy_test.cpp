#include "worker/claim_remedy.hpp"

#include <gtest/gtest.h>

namespace rowrunner {
namespace {

claim_remedy after(const char* sqlstate, claim_mode mode = claim_mode::bulk,
                   bool failed_before = false, const char* statement = "claim/test") {
  return remedy_for(pg::query_error(sqlstate, "no", statement), mode, failed_before);
}

TEST(claim_remedy, goes_around_locked_rows_before_it_claims_one_by_one) {
  EXPECT_EQ(after("55P03"), claim_remedy::free);
  EXPECT_EQ(after("55P03", claim_mode::free), claim_remedy::one_by_one);
  EXPECT_EQ(after("55P03", claim_mode::one_by_one), claim_remedy::try_later);
}

TEST(claim_remedy, skips_a_turn_that_does_not_come) {
  EXPECT_EQ(after("55P03", claim_mode::bulk, false, "claim_turn"), claim_remedy::without_turn);
}

TEST(claim_remedy, looks_for_the_row_that_fails) {
  for (const char* sqlstate : {"23514", "23505", "P0001", "22012", "42501"}) {
    EXPECT_EQ(after(sqlstate), claim_remedy::one_by_one) << sqlstate;
    EXPECT_EQ(after(sqlstate, claim_mode::free), claim_remedy::one_by_one) << sqlstate;
    EXPECT_EQ(after(sqlstate, claim_mode::one_by_one), claim_remedy::try_later) << sqlstate;
  }
}

TEST(claim_remedy, blames_no_row_for_the_connection_the_server_or_the_table) {
  for (const char* sqlstate : {"08006", "57P01", "25006", "26000", "42P05", "RR001"}) {
    EXPECT_EQ(after(sqlstate), claim_remedy::try_later) << sqlstate;
    EXPECT_EQ(after(sqlstate, claim_mode::bulk, true), claim_remedy::try_later) << sqlstate;
  }
}

TEST(claim_remedy, looks_for_a_row_that_raises_what_should_go_away) {
  EXPECT_EQ(after("40001"), claim_remedy::try_later);
  EXPECT_EQ(after("40001", claim_mode::bulk, true), claim_remedy::one_by_one);
}

}  // namespace
}  // namespace rowrunner
