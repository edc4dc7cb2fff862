// The lease of each kind, in one worker.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "support/two_kinds.hpp"

namespace rowrunner::testing {
namespace {

using namespace std::chrono_literals;

/// How long the lease of each kind has to live, about.
std::string left_to_live(test_database& db) {
  return db.value(
      "SELECT string_agg(k.kind || ' ' || CASE WHEN l.expires_at - clock_timestamp() > '48 min'"
      " THEN 'an hour' WHEN l.expires_at - clock_timestamp() <= '2 s' THEN 'two seconds'"
      " ELSE (l.expires_at - clock_timestamp())::text END, ', ' ORDER BY k.kind)"
      " FROM rowrunner.leases l JOIN rowrunner.kinds k ON k.id = l.kind");
}

TEST(lease, each_kind_has_its_own_and_one_heartbeat_keeps_all) {
  two_kinds db;
  db.watch("rowrunner.leases");
  db.add("a");
  db.add_other(1);
  std::atomic<bool> gate = false;
  const auto waits = [&](job& self) -> boost::asio::awaitable<outcome> {
    while (!gate) co_await self.sleep(2ms);
    co_return succeeded{};
  };
  auto options = worker_thread::options_for(db);
  options.lease = 2s;
  worker_thread one(options, [&](worker& w) {
    w.add(test_kind(), waits);
    auto other = test_kind();
    other.kind = "other";
    other.lease = 1h;
    w.add(other, waits);
  });
  ASSERT_TRUE(db.becomes("SELECT count(*) FROM rowrunner.leases", "2"));
  EXPECT_EQ(left_to_live(db), "other an hour, test two seconds");
  // Two claims, two transactions; one heartbeat.
  EXPECT_TRUE(db.becomes("SELECT count(DISTINCT xmin::text) FROM rowrunner.leases", "1"));
  EXPECT_EQ(left_to_live(db), "other an hour, test two seconds");
  const auto claimed = db.value("SELECT locked_at FROM test_jobs");
  EXPECT_TRUE(db.becomes("SELECT expires_at > '" + claimed +
                             "'::timestamptz + '4 s' FROM rowrunner.leases ORDER BY expires_at"
                             " LIMIT 1",
                         "t"))
      << "the short one is kept for longer than it lasts";
  gate = true;
  EXPECT_TRUE(db.reaches("a", "succeeded"));
  EXPECT_TRUE(db.others_succeed(1));
  EXPECT_EQ(one.stop().refused, 0);
  EXPECT_EQ(db.value("SELECT count(*) FROM rowrunner.leases"), "0");
}

TEST(lease, of_a_kind_that_makes_no_sense_is_refused) {
  worker_options options;
  options.database_url = "postgresql://nowhere";
  worker one(options, std::make_shared<logger>(log_level::off));
  for (const auto length : {std::chrono::milliseconds{-1}, 999ms, 24h + 1ms}) {
    auto kind = test_kind();
    kind.lease = length;
    try {
      one.add(kind, run_test_job);
      ADD_FAILURE() << length.count();
    } catch (const std::invalid_argument& e) {
      EXPECT_STREQ(e.what(), "the lease of kind test must be from a second to a day");
    }
  }
}

}  // namespace
}  // namespace rowrunner::testing
