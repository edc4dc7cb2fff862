#include "common/schema/vacuum_blocker.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rowrunner {
namespace {

using ::testing::HasSubstr;
using namespace std::chrono_literals;

vacuum_blocker session(const std::string& state, std::optional<double> seconds) {
  vacuum_blocker holder;
  holder.what = "session";
  holder.name = "4242";
  holder.state = state;
  holder.seconds = seconds;
  return holder;
}

TEST(vacuum_blocker, alarms_after_the_time_and_never_without_one) {
  EXPECT_FALSE(holds_too_long(session("active", 299.9), 300s));
  EXPECT_TRUE(holds_too_long(session("active", 300.0), 300s));
  EXPECT_FALSE(holds_too_long(session("active", 1e9), 0s));
}

TEST(vacuum_blocker, goes_by_transactions_where_there_is_no_time) {
  auto slot = session("inactive", std::nullopt);
  slot.transactions = 99'999;
  EXPECT_FALSE(holds_too_long(slot, 1ms));
  slot.transactions = 100'000;
  EXPECT_TRUE(holds_too_long(slot, 300s));
  EXPECT_FALSE(holds_too_long(slot, 0s));
}

/// What the server would answer: one row of these fields, as text; null for NULL.
pg::result answer_of(const std::vector<const char*>& fields) {
  pg::result out(PQmakeEmptyPGresult(nullptr, PGRES_TUPLES_OK));
  auto* const raw = const_cast<PGresult*>(out.raw());
  std::string name = "column";
  std::vector<PGresAttDesc> columns(fields.size());
  for (auto& each : columns) each.name = name.data();
  PQsetResultAttrs(raw, static_cast<int>(columns.size()), columns.data());
  for (std::size_t i = 0; i < fields.size(); ++i) {
    std::string text = fields[i] == nullptr ? "" : fields[i];
    const int length = fields[i] == nullptr ? -1 : static_cast<int>(text.size());
    PQsetvalue(raw, 0, static_cast<int>(i), text.data(), length);
  }
  return out;
}

TEST(vacuum_blocker, is_read_from_a_row_with_gaps) {
  const auto holders = read_vacuum_blockers(
      answer_of({"slot", "lagging", nullptr, nullptr, "inactive", nullptr, nullptr, "7", nullptr}));
  ASSERT_EQ(holders.size(), 1u);
  EXPECT_EQ(text_of(holders[0]), "replication slot lagging (inactive)");
  EXPECT_EQ(holders[0].transactions, 7);
  EXPECT_FALSE(holders[0].seconds);
  EXPECT_THROW(read_vacuum_blockers(answer_of({"slot"})), std::out_of_range);
}

TEST(vacuum_blocker, tells_who_it_is) {
  auto holder = session("idle in transaction", 10);
  EXPECT_EQ(text_of(holder), "session 4242 (idle in transaction)");
  holder.application = "psql";
  holder.user = "ann";
  EXPECT_EQ(text_of(holder), "session 4242 (psql, user ann, idle in transaction)");
  holder = session("", std::nullopt);
  EXPECT_EQ(text_of(holder), "session 4242");
}

TEST(vacuum_blocker, tells_what_to_do_about_each) {
  EXPECT_THAT(advice_for(session("idle in transaction", 10)),
              HasSubstr("SELECT pg_terminate_backend(4242); idle_in_transaction_session_timeout"));
  EXPECT_THAT(advice_for(session("active", 10)), HasSubstr("SELECT pg_cancel_backend(4242)"));
  EXPECT_THAT(advice_for(session("", 10)), HasSubstr("grant pg_read_all_stats"));
  auto other = session("inactive", std::nullopt);
  other.name = "it";
  other.what = "slot";
  EXPECT_THAT(advice_for(other), HasSubstr("SELECT pg_drop_replication_slot('it')"));
  other.what = "prepared";
  EXPECT_THAT(advice_for(other), HasSubstr("ROLLBACK PREPARED 'it'"));
  other.what = "standby";
  EXPECT_THAT(advice_for(other), HasSubstr("hot_standby_feedback"));
}

}  // namespace
}  // namespace rowrunner
