// Statements of handlers that wait for locks of others, or for ever: they must not use up the
// server's connections, nor those of the other handlers, nor the attempts of their jobs.

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "support/worker_thread.hpp"

namespace rowrunner::testing {
namespace {

using boost::asio::awaitable;
using namespace std::chrono_literals;

/// A table that a handler writes to, and a trap on the way to it that waits for an advisory lock
/// and heeds no lock_timeout.
class lock_waits : public ::testing::Test {
 protected:
  using body = std::function<awaitable<outcome>(services&, job&)>;

  lock_waits() {
    db.exec(
        "CREATE TABLE public.ledger (n integer); INSERT INTO public.ledger VALUES (0);"
        "CREATE FUNCTION public.trap() RETURNS void LANGUAGE plpgsql SET lock_timeout = 0 AS"
        " 'BEGIN PERFORM pg_advisory_xact_lock(4711); END'");
    options.lease = 2s;
  }

  void start(const body& run) {
    one = std::make_unique<worker_thread>(options, [&](worker& w) {
      auto& all = w.handler_services();
      w.add(test_kind(), [&all, run](job& self) { return run(all, self); });
    });
  }

  /// What handlers' statements are being worked on: the process and when it began.
  using statement = std::pair<std::string, std::string>;
  std::set<statement> statements_now() {
    std::set<statement> found;
    for (const auto& row : db.rows("SELECT pid, query_start FROM pg_stat_activity WHERE datname ="
                                   " current_database() AND application_name = 'rowrunner handlers'"
                                   " AND wait_event_type = 'Lock'")) {
      found.emplace(row[0].c_str(), row[1].c_str());
    }
    return found;
  }
  /// Waits until so many statements have waited for a lock; gives how many did at the same time.
  std::size_t most_at_once(std::size_t statements) {
    std::set<statement> seen;
    std::size_t most = 0;
    const auto deadline = std::chrono::steady_clock::now() + 60s;
    while (seen.size() < statements && std::chrono::steady_clock::now() < deadline) {
      const auto now = statements_now();
      most = std::max(most, now.size());
      seen.insert(now.begin(), now.end());
    }
    EXPECT_GE(seen.size(), statements);
    return most;
  }

  jobs_database db;
  worker_options options = worker_thread::options_for(db);
  std::unique_ptr<worker_thread> one;
};

constexpr const char* locks_the_table = "LOCK TABLE public.ledger";
constexpr const char* locks_the_trap = "SELECT pg_advisory_xact_lock(4711)";

/// The lock of the application, and the statement that it holds up.
struct hold_up {
  const char* name;
  const char* lock;
  const char* statement;
};
const hold_up hold_ups[] = {
    {"a_table", locks_the_table, "UPDATE public.ledger SET n = n + 1"},
    {"a_trigger_that_heeds_no_lock_timeout", locks_the_trap, "SELECT public.trap()"}};

class handlers_behind : public lock_waits, public ::testing::WithParamInterface<hold_up> {};

INSTANTIATE_TEST_SUITE_P(attack, handlers_behind, ::testing::ValuesIn(hold_ups),
                         [](const auto& each) { return std::string(each.param.name); });

// A client that gives up before the server does leaves a session behind, two every two seconds.
TEST_P(handlers_behind, a_lock_use_no_more_connections_than_they_have_and_are_not_charged) {
  options.answer_timeout = 2s;
  for (int i = 0; i < 4; ++i) db.add("job" + std::to_string(i));
  pqxx::connection application(db.url());
  pqxx::work holds(application);
  holds.exec(GetParam().lock);
  start([](services& all, job& self) -> awaitable<outcome> {
    co_await all.idempotent_query(self, GetParam().statement);
    co_return succeeded{};
  });
  EXPECT_LE(most_at_once(8), 2U);
  holds.commit();
  EXPECT_TRUE(db.becomes("SELECT count(*) FROM test_jobs WHERE status = 'succeeded'", "4"));
  EXPECT_EQ(db.value("SELECT sum(attempts) FROM test_jobs"), "0");
  EXPECT_EQ(one->stop().rescued, 0);
}

TEST_F(lock_waits, a_statement_that_waits_for_a_lock_keeps_no_connection_from_other_handlers) {
  options.handler_connections = 1;
  pqxx::connection application(db.url());
  pqxx::work holds(application);
  holds.exec(locks_the_table);
  start([](services& all, job& self) -> awaitable<outcome> {
    const bool waits = self.text("name") == "waits";
    co_await all.idempotent_query(self, waits ? "UPDATE public.ledger SET n = 1" : "SELECT 1");
    co_return succeeded{};
  });
  db.add("waits");
  EXPECT_EQ(most_at_once(1), 1U);
  db.add("free");
  EXPECT_TRUE(db.becomes("SELECT status FROM test_jobs WHERE name = 'free'", "succeeded", 15s));
  EXPECT_EQ(db.status("waits"), "processing");
  holds.commit();
  EXPECT_TRUE(db.reaches("waits", "succeeded"));
}

// query() may not run twice; a statement that waited for a lock and was ended has not run once.
TEST_F(lock_waits, a_statement_that_is_sent_once_waits_for_a_lock_too_and_takes_effect_once) {
  options.answer_timeout = 60s;
  db.add("a", "ok", 0, 0, 1);
  pqxx::connection application(db.url());
  pqxx::work holds(application);
  holds.exec(locks_the_table);
  start([](services& all, job&) -> awaitable<outcome> {
    co_await all.query("UPDATE public.ledger SET n = n + 1");
    co_return succeeded{};
  });
  EXPECT_EQ(most_at_once(3), 1U);
  holds.commit();
  EXPECT_TRUE(db.reaches("a", "succeeded"));
  EXPECT_EQ(db.value("SELECT n FROM public.ledger"), "1");
}

TEST_F(lock_waits, what_outlasts_the_patience_is_a_temporary_error_of_a_statement_sent_once) {
  options.answer_timeout = 2s;
  pqxx::connection application(db.url());
  pqxx::work holds(application);
  for (const auto& each : hold_ups) holds.exec(each.lock);
  for (const auto& each : hold_ups) db.add(each.name);
  start([](services& all, job& self) -> awaitable<outcome> {
    const auto* const found =
        std::find_if(std::begin(hold_ups), std::end(hold_ups),
                     [&](const hold_up& each) { return self.text("name") == each.name; });
    std::string state = "no error";
    try {
      co_await all.query(found->statement);
    } catch (const database_error& e) {
      state = e.sqlstate + (e.temporary ? " temporary" : "") + (e.maybe_committed ? " maybe" : "");
    }
    co_return final_failure(state);
  });
  for (const auto& each : hold_ups) ASSERT_TRUE(db.reaches(each.name, "failed"));
  EXPECT_EQ(db.value("SELECT string_agg(last_error, ', ' ORDER BY name) FROM test_jobs"),
            "55P03 temporary, 57014 temporary");
}

// A handler that does not want to wait is told at once, as it would be without the engine.
TEST_F(lock_waits, a_statement_with_nowait_is_not_sent_again) {
  db.exec("CREATE SEQUENCE public.tries");
  db.add("a", "ok", 0, 0, 1);
  pqxx::connection application(db.url());
  pqxx::work holds(application);
  holds.exec(locks_the_table);
  start([](services& all, job&) -> awaitable<outcome> {
    co_await all.query(
        "DO $$ BEGIN PERFORM nextval('public.tries'); LOCK TABLE public.ledger NOWAIT; END $$");
    co_return succeeded{};
  });
  EXPECT_TRUE(db.reaches("a", "failed"));
  EXPECT_EQ(db.value("SELECT last_value FROM public.tries"), "1");
}

// Who ends it does not know of the job: pg_cancel_backend ends a try and no attempt.
TEST_F(lock_waits, a_statement_that_a_person_cancels_is_sent_again) {
  options.answer_timeout = 60s;
  db.add("a", "ok", 0, 0, 1);
  pqxx::connection application(db.url());
  pqxx::work holds(application);
  holds.exec(locks_the_trap);
  start([](services& all, job& self) -> awaitable<outcome> {
    co_await all.idempotent_query(self, "SELECT public.trap()");
    co_return succeeded{};
  });
  EXPECT_EQ(most_at_once(1), 1U);
  const auto cancelled = *statements_now().begin();
  EXPECT_EQ(db.value("SELECT pg_cancel_backend(" + cancelled.first + ")"), "t");
  EXPECT_TRUE(db.becomes(
      "SELECT query_start > '" + cancelled.second +
          "' AND wait_event_type = 'Lock' FROM pg_stat_activity WHERE pid = " + cancelled.first,
      "t"));
  holds.commit();
  EXPECT_TRUE(db.reaches("a", "succeeded"));
  EXPECT_EQ(db.value("SELECT attempts FROM test_jobs"), "0");
}

TEST(worker_options, a_time_for_answers_that_makes_no_sense_is_refused) {
  for (const auto time : {0ms, -1ms, 90'000'000ms}) {
    worker_options options;
    options.database_url = "postgresql://nowhere";
    options.answer_timeout = time;
    EXPECT_THROW(worker(std::move(options)), std::invalid_argument) << time.count();
  }
}

}  // namespace
}  // namespace rowrunner::testing
