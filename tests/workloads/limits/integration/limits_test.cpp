// Permits by plans in a real PostgreSQL.
#include "workloads/limits/limits.hpp"

#include <algorithm>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <fstream>
#include <future>
#include <iterator>
#include <thread>

#include "integration/limits_fixture.hpp"
#include "queries/limits.hpp"
#include "support/own_server.hpp"
#include "support/paths.hpp"
#include "support/process.hpp"

namespace rowrunner::testing {
namespace {

using asio::awaitable;
using namespace asio::experimental::awaitable_operators;
using ::testing::AnyOf;
using ::testing::HasSubstr;

const std::map<std::string, std::string> fast{{"LIMIT_K", "requests=200/s"}};

TEST_F(limits_test, a_key_that_is_not_used_costs_no_statement) {
  auto& one = process();
  run(pause(50ms));
  EXPECT_EQ(one.limits.statements(), 0);
  EXPECT_FALSE(one.limits.look("k"));
}

awaitable<int> calls_within(limits::service& limits, std::chrono::milliseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  int calls = 0;
  while (std::chrono::steady_clock::now() < end) {
    auto held = co_await limits.permit("k");
    limits::answer_facts fine;
    fine.status = 200;
    held.report(fine);
    ++calls;
  }
  co_return calls;
}

TEST_F(limits_test, two_processes_share_a_quota_with_three_statements_a_second_at_most) {
  auto& one = process(fast);
  auto& other = process(fast);
  const auto [calls, others] =
      run(calls_within(one.limits, 2'500ms) && calls_within(other.limits, 2'500ms));
  EXPECT_GT(calls, 50);
  EXPECT_GT(others, 50);
  EXPECT_LE(calls + others, 4 * 200);
  for (auto* each : {&one, &other}) EXPECT_LE(each->limits.statements(), 3 * 4);
  EXPECT_EQ(db_.value("SELECT count(*) FROM rowrunner_limits.members"), "2");
  EXPECT_EQ(db_.value("SELECT count(*) - count(DISTINCT epoch) FROM rowrunner_limits.plans"), "0");
  EXPECT_NEAR(one.limits.look("k")->rate, 194, 1);
  EXPECT_EQ(one.limits.count().at(0).succeeded, calls);
}

TEST_F(limits_test, a_permit_that_is_at_hand_costs_microseconds) {
  auto& one = process({{"LIMIT_K", "requests=9000/s"}});
  run(calls_within(one.limits, 1'100ms));
  const auto many = [&]() -> awaitable<std::chrono::nanoseconds> {
    // Wait until the slots of a second are there.
    co_await pause(900ms);
    std::vector<std::chrono::nanoseconds> times;
    for (int i = 0; i < 201; ++i) {
      const auto begun = std::chrono::steady_clock::now();
      auto held = co_await one.limits.permit("k");
      times.push_back(std::chrono::steady_clock::now() - begun);
      held.report(status(200));
    }
    std::nth_element(times.begin(), times.begin() + 100, times.end());
    co_return times[100];
  };
  const auto median = run(many());
  RecordProperty("median_ns", std::to_string(median.count()));
  EXPECT_LT(median, 200us);
}

TEST_F(limits_test, the_first_writer_of_a_plan_wins) {
  const std::string propose = "SELECT plan->>'by' FROM rowrunner_limits.propose('";
  EXPECT_EQ(db_.value(propose + R"([{"key":"k","epoch":5,"plan":{"by":"a"}}]'))"), "a");
  EXPECT_EQ(db_.value(propose + R"([{"key":"k","epoch":5,"plan":{"by":"b"}}]'))"), "a");
  // Also when both write at the same time.
  pqxx::connection other(db_.url());
  pqxx::work open(other);
  open.exec(propose + R"([{"key":"k","epoch":6,"plan":{"by":"a"}}]'))");
  auto late = std::async(std::launch::async, [&] {
    pqxx::connection third(db_.url());
    return pqxx::nontransaction(third)
        .exec(propose + R"([{"key":"k","epoch":6,"plan":{"by":"c"}}]'))")[0][0]
        .as<std::string>();
  });
  while (db_.value("SELECT count(*) FROM pg_locks WHERE NOT granted") == "0") {
    std::this_thread::yield();
  }
  open.commit();
  EXPECT_EQ(late.get(), "a");
}

TEST_F(limits_test, a_retry_after_binds_the_other_process_too) {
  auto& one = process(fast);
  auto& other = process(fast);
  const auto both = [&]() -> awaitable<void> {
    auto first = co_await one.limits.permit("k");
    (co_await other.limits.permit("k")).report(status(200));
    auto busy = status(429);
    busy.retry_after = 3s;
    first.report(busy);
  };
  run(both());
  const auto begun = std::chrono::steady_clock::now();
  EXPECT_TRUE(one.limits.look("k")->blocked_until);
  const auto waits = [&]() -> awaitable<void> {
    while (!other.limits.look("k")->blocked_until) {
      (co_await other.limits.permit("k")).report(status(200));
      co_await pause(20ms);
    }
    EXPECT_LT(std::chrono::steady_clock::now() - begun, 2s);
    co_await other.limits.permit("k");
  };
  run(waits());
  EXPECT_GE(std::chrono::steady_clock::now() - begun, 2'900ms);
  EXPECT_EQ(db_.value("SELECT count(*) FROM rowrunner_limits.blocks"), "1");
}

TEST_F(limits_test, a_caller_that_is_cancelled_gives_up_its_place) {
  auto& one = process({{"LIMIT_K", "concurrency=1,requests=100/s"}});
  const auto body = [&]() -> awaitable<void> {
    auto first = co_await one.limits.permit("k");
    asio::cancellation_signal stop;
    std::exception_ptr ended;
    const auto waiting = [&]() -> awaitable<void> { co_await one.limits.permit("k"); };
    asio::co_spawn(io_, waiting(),
                   asio::bind_cancellation_slot(
                       stop.slot(), [&](const std::exception_ptr& thrown) { ended = thrown; }));
    while (one.limits.look("k")->waiting == 0) co_await pause(1ms);
    EXPECT_THAT(one.limits.look("k")->why_waiting, HasSubstr("under way"));
    stop.emit(asio::cancellation_type::terminal);
    while (!ended) co_await pause(1ms);
    EXPECT_EQ(one.limits.look("k")->waiting, 0);
    EXPECT_EQ(one.limits.look("k")->in_flight, 1);
    first.report(status(200));
    co_await one.limits.permit("k");
  };
  run(body());
  // The last one was given back without a report.
  EXPECT_EQ(one.limits.count().at(0).unanswered, 1);
  EXPECT_EQ(one.limits.count().at(0).permits, 2);
}

TEST_F(limits_test, a_schema_without_the_tables_is_an_error_for_those_who_wait) {
  auto& one = process();
  db_.exec("DROP TABLE rowrunner_limits.members");
  const auto body = [&]() -> awaitable<void> { co_await one.limits.permit("k"); };
  EXPECT_THROW(run(body()), database_error);
}

TEST_F(limits_test, an_idle_key_is_forgotten_with_the_next_new_one) {
  auto& one = process({}, 50ms);
  const auto body = [&]() -> awaitable<void> {
    (co_await one.limits.permit("a")).report(status(200));
    for (int i = 0; one.limits.look("a"); ++i) {
      co_await pause(60ms);
      (co_await one.limits.permit("b" + std::to_string(i))).report(status(200));
    }
    EXPECT_LT(one.limits.count().size(), 20U);
    (co_await one.limits.permit("a")).report(status(200));
    EXPECT_TRUE(one.limits.look("a"));
  };
  run(body());
}

TEST_F(limits_test, tell_the_state_of_a_key_to_any_session) {
  const auto ask = [&](const std::string& what) {
    return db_.value("SET ROLE rowrunner_app; SELECT " + what +
                     " FROM rowrunner_limits.state('k')");
  };
  EXPECT_EQ(ask("concat_ws(' ', rate, processes, wanted, sent, waits_for)"), "0 0 0");
  auto& one = process({{"LIMIT_K", "requests=10/s"}});
  const auto body = [&]() -> awaitable<void> {
    auto held = co_await one.limits.permit("k");
    const auto waiting = [&]() -> awaitable<void> { co_await one.limits.permit("k"); };
    for (int i = 0; i < 100; ++i) asio::co_spawn(io_, waiting(), asio::detached);
    // Reports are written each second.
    while (ask("wanted > 10 AND sent > 0 AND waits_for = 'rate'") != "t") co_await pause(50ms);
    EXPECT_EQ(ask("rate"), "9.7");
    EXPECT_EQ(ask("processes"), "1");
    EXPECT_EQ(ask("rejected"), "0");
    EXPECT_EQ(ask("blocked_until IS NULL"), "t");
    auto busy = status(429);
    busy.retry_after = 60s;
    held.report(busy);
    while (ask("waits_for = 'retry-after'") != "t") co_await pause(50ms);
    EXPECT_EQ(ask("blocked_until > now() + interval '50 s'"), "t");
  };
  run(body());
  db_.exec("RESET ROLE; PREPARE state AS " + std::string{queries::limits_state.text});
  // By now the plan may already be the one after the 429.
  EXPECT_THAT(db_.value("EXECUTE state('k')"), AnyOf("9.7", "8.245"));
}

TEST_F(limits_test, what_is_over_is_removed) {
  db_.exec(
      "INSERT INTO rowrunner_limits.members VALUES"
      " ('k', 'old', '{}', now() - interval '2 minutes'), ('k', 'new', '{}', now());"
      "INSERT INTO rowrunner_limits.blocks (key, blocked_until, replica) VALUES"
      " ('k', now() - interval '2 minutes', 'a'), ('k', now() + interval '1 hour', 'a');"
      "INSERT INTO rowrunner_limits.plans SELECT 'k', extract(epoch FROM now())::bigint - n, '{}'"
      " FROM generate_series(0, 200) n;"
      "INSERT INTO rowrunner_limits.plans VALUES"
      " ('idle', extract(epoch FROM now())::bigint - 3600, '{}'),"
      " ('gone', extract(epoch FROM now())::bigint - 90000, '{}')");
  db_.exec("SELECT rowrunner_limits.clean_up()");
  EXPECT_EQ(db_.value("SELECT string_agg(replica, ',') FROM rowrunner_limits.members"), "new");
  EXPECT_EQ(db_.value("SELECT count(*) FROM rowrunner_limits.blocks"), "1");
  EXPECT_EQ(db_.value("SELECT count(*) FROM rowrunner_limits.plans WHERE key = 'idle'"), "1");
  EXPECT_EQ(db_.value("SELECT count(*) FROM rowrunner_limits.plans WHERE key = 'gone'"), "0");
  const auto kept = std::stoi(db_.value("SELECT count(*) FROM rowrunner_limits.plans"));
  EXPECT_LE(kept, 64);
}

TEST_F(limits_test, has_the_schema_that_is_kept) {
  std::ifstream file(source_dir() + "/tests/workloads/limits/schema.sql");
  std::string kept(std::istreambuf_iterator<char>(file), {});
  kept.erase(0, kept.find('\n') + 1);  // the line that says where it comes from
  const auto dump =
      run_process({source_dir() + "/scripts/dump-schema", db_.url(), "--schema=rowrunner_limits"});
  ASSERT_EQ(dump.exit_code, 0) << dump.err;
  EXPECT_THAT(dump.out, HasSubstr("CREATE TABLE rowrunner_limits.plans"));
  EXPECT_TRUE(kept == dump.out) << "schema.sql is out of date: run scripts/dump-schema";
}

TEST_F(limits_test, permissions_of_every_role_are_these) {
  const auto all = db_.value(
      "SELECT string_agg(line, E'\\n' ORDER BY line COLLATE \"C\") FROM ("
      " SELECT grantee || ': ' || string_agg(privilege_type, ', ' ORDER BY privilege_type)"
      "  || ' on ' || table_name AS line FROM information_schema.role_table_grants"
      " WHERE table_schema = 'rowrunner_limits' AND grantee LIKE 'rowrunner\\_%'"
      " GROUP BY grantee, table_name"
      " UNION ALL"
      " SELECT r.rolname || ': EXECUTE on ' || p.proname FROM pg_proc p, pg_roles r"
      " WHERE p.pronamespace = 'rowrunner_limits'::regnamespace AND r.rolname LIKE 'rowrunner\\_%'"
      " AND has_function_privilege(r.oid, p.oid, 'EXECUTE')"
      " UNION ALL"
      " SELECT r.rolname || ': USAGE on schema' FROM pg_roles r WHERE r.rolname LIKE"
      " 'rowrunner\\_%' AND has_schema_privilege(r.oid, 'rowrunner_limits', 'USAGE')) x");
  EXPECT_EQ(all,
            "rowrunner_app: EXECUTE on state\n"
            "rowrunner_app: SELECT on blocks\n"
            "rowrunner_app: SELECT on members\n"
            "rowrunner_app: SELECT on plans\n"
            "rowrunner_app: USAGE on schema\n"
            "rowrunner_worker: DELETE, INSERT, SELECT on blocks\n"
            "rowrunner_worker: DELETE, INSERT, SELECT on plans\n"
            "rowrunner_worker: DELETE, INSERT, SELECT, UPDATE on members\n"
            "rowrunner_worker: EXECUTE on clean_up\n"
            "rowrunner_worker: EXECUTE on propose\n"
            "rowrunner_worker: EXECUTE on state\n"
            "rowrunner_worker: USAGE on schema");
}

TEST(limits, wait_while_postgresql_is_away_and_go_on_when_it_is_back) {
  own_server server;
  ASSERT_EQ(
      run_process({rowrunner_binary(), "migrate"}, {{"DATABASE_URL", server.url()}}).exit_code, 0);
  asio::io_context io;
  limits_process one(io, server.url(), environment(fast));
  int calls = 0;
  bool enough = false;
  const auto caller = [&]() -> awaitable<void> {
    while (!enough) {
      auto held = co_await one.limits.permit("k");
      held.report({});
      ++calls;
    }
  };
  const auto body = [&]() -> awaitable<void> {
    asio::steady_timer timer(io);
    const auto until = [&](auto holds) -> awaitable<bool> {
      for (int i = 0; i < 3'000 && !holds(); ++i) {
        timer.expires_after(10ms);
        co_await timer.async_wait(asio::use_awaitable);
      }
      co_return holds();
    };
    co_await until([&] { return calls > 100; });
    server.crash();
    const bool waits = co_await until(
        [&] { return one.limits.look("k")->why_waiting.starts_with("there is no plan"); });
    EXPECT_TRUE(waits);
    const int by_then = calls;
    timer.expires_after(1'100ms);
    co_await timer.async_wait(asio::use_awaitable);
    EXPECT_EQ(calls, by_then);
    server.start();
    const bool goes_on = co_await until([&] { return calls > by_then; });
    EXPECT_TRUE(goes_on);
    enough = true;
  };
  asio::co_spawn(io, caller(), asio::detached);
  auto answer = asio::co_spawn(io, body(), asio::use_future);
  while (answer.wait_for(0s) != std::future_status::ready) io.run_one_for(30s);
  answer.get();
}

}  // namespace
}  // namespace rowrunner::testing
