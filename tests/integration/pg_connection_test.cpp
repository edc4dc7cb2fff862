#include <gtest/gtest.h>

#include "common/pg/connection.hpp"
#include "common/pg/error.hpp"
#include "pg_fixture.hpp"

namespace rowrunner::pg {
namespace {

using namespace std::chrono_literals;

class pg_connection : public pg_fixture {};

TEST_F(pg_connection, carries_parameters_and_nulls) {
  play([this]() -> awaitable<void> {
    const auto db = co_await connect();
    const auto row = co_await ask(*db, "SELECT $1::text, $2::text, $3::int + 1, $4::bool, ''",
                                  params("ä'\"\\", std::nullopt, "41", "t"));
    EXPECT_EQ(row.rows(), 1);
    EXPECT_EQ(row.columns(), 5);
    EXPECT_EQ(row.get(0, 0), "ä'\"\\");
    EXPECT_TRUE(row.is_null(0, 1));
    EXPECT_EQ(row.get_int(0, 2), 42);
    EXPECT_TRUE(row.get_bool(0, 3));
    EXPECT_FALSE(row.is_null(0, 4));
    EXPECT_THROW(row.get(1, 0), std::out_of_range);
    EXPECT_THROW(row.get_int(0, 1), error);
    co_await ask(*db, "CREATE TEMP TABLE t AS SELECT generate_series(1, 5) AS n");
    EXPECT_EQ((co_await ask(*db, "DELETE FROM t WHERE n > 2")).affected(), 3);
  });
}

TEST_F(pg_connection, reads_an_answer_in_binary_if_the_statement_asks_for_it) {
  play([this]() -> awaitable<void> {
    const auto db = co_await connect();
    const statement binary{"binary",
                           "SELECT (-2)::smallint, 70000::int, -9223372036854775808, 'a b'::text,"
                           " '0190a000-00ff-7123-89ab-cdef0123456f'::uuid, NULL::int, true",
                           true};
    const auto rows = co_await db->run(all(on(binary, params())));
    const auto& row = rows.at(0);
    EXPECT_EQ(row.get_int(0, 0), -2);
    EXPECT_EQ(row.get_int(0, 1), 70000);
    EXPECT_EQ(row.get_int(0, 2), std::numeric_limits<std::int64_t>::min());
    EXPECT_EQ(row.get(0, 3), "a b");
    EXPECT_EQ(row.get_uuid(0, 4), "0190a000-00ff-7123-89ab-cdef0123456f");
    EXPECT_TRUE(row.is_null(0, 5));
    EXPECT_THROW(row.get_int(0, 3), error) << "three bytes";
    EXPECT_THROW(row.get_int(0, 5), error) << "NULL";
    EXPECT_THROW(row.get_uuid(0, 0), error);
    EXPECT_THROW(row.get_bool(0, 6), error) << "only of text";
    const auto text = co_await ask(*db, "SELECT '0190a000-00ff-71'");
    EXPECT_THROW(text.get_uuid(0, 0), error) << "16 characters, but text";
  });
}

TEST_F(pg_connection, refuses_a_zero_byte_before_it_truncates_the_value) {
  play([this]() -> awaitable<void> {
    const auto db = co_await connect();
    const auto failure = co_await failure_of<query_error>(
        ask(*db, "SELECT $1::text", params(std::string("a\0b", 3))));
    EXPECT_EQ(failure.value().sqlstate(), "22021");
    EXPECT_EQ((co_await ask(*db, "SELECT 1")).get_int(0, 0), 1);
  });
}

TEST_F(pg_connection, prepares_a_named_statement_once) {
  play([this]() -> awaitable<void> {
    const auto db = co_await connect();
    const statement twice{"twice", "SELECT 2 * $1::int"};
    for (int i = 0; i < 3; ++i) {
      const auto rows = co_await db->run(all(on(twice, params("4")), on(twice, params("5"))));
      EXPECT_EQ(rows.at(0).get_int(0, 0), 8);
      EXPECT_EQ(rows.at(1).get_int(0, 0), 10);
    }
    const auto count = co_await ask(*db, "SELECT count(*) FROM pg_prepared_statements");
    EXPECT_EQ(count.get_int(0, 0), 1);
    const statement impostor{"twice", "SELECT 3 * $1::int"};
    EXPECT_TRUE(co_await failure_of<std::logic_error>(db->run(all(on(impostor, params("1"))))));
  });
}

TEST_F(pg_connection, prepares_again_what_an_earlier_error_made_the_server_skip) {
  play([this]() -> awaitable<void> {
    const auto db = co_await connect();
    const statement bad{"bad", "SELECT 1 / $1::int"};
    const statement good{"good", "SELECT 7"};
    EXPECT_TRUE(co_await failure_of<query_error>(db->run(all(on(bad, params("0")), on(good)))));
    const auto rows = co_await db->run(all(on(good), on(bad, params("1"))));
    EXPECT_EQ(rows.at(0).get_int(0, 0), 7);
    EXPECT_EQ(rows.at(1).get_int(0, 0), 1);
  });
}

TEST_F(pg_connection, uses_no_named_statements_behind_a_pooler) {
  play([this]() -> awaitable<void> {
    auto options = test_settings();
    options.pooled = true;
    const auto db = co_await connect(options);
    const statement named{"named", "SELECT $1::int"};
    for (int i = 0; i < 2; ++i)
      co_await db->run(all(on(named, params("1")), on(named, params("2"))));
    const auto count = co_await ask(*db, "SELECT count(*) FROM pg_prepared_statements");
    EXPECT_EQ(count.get_int(0, 0), 0);
  });
}

TEST_F(pg_connection, runs_one_pipeline_as_one_transaction) {
  play([this]() -> awaitable<void> {
    const auto db = co_await connect();
    co_await ask(*db, "CREATE TEMP TABLE t (n int PRIMARY KEY)");
    const statement insert{"insert_n", "INSERT INTO t VALUES ($1)"};
    const statement broken{"divide", "SELECT 1 / $1::int"};
    const auto failure = co_await failure_of<query_error>(
        db->run(all(on(insert, params("1")), on(broken, params("0")), on(insert, params("2")))));
    EXPECT_EQ(failure.value().sqlstate(), "22012");
    EXPECT_EQ(failure.value().statement_name(), "divide");
    EXPECT_EQ(failure.value().message(), "division by zero");
    EXPECT_TRUE(db->reusable());
    EXPECT_EQ((co_await ask(*db, "SELECT count(*) FROM t")).get_int(0, 0), 0);
    co_await db->run(all(on(insert, params("1")), on(insert, params("2"))));
    EXPECT_EQ((co_await ask(*db, "SELECT count(*) FROM t")).get_int(0, 0), 2);
  });
}

TEST_F(pg_connection, reports_a_statement_that_cannot_be_prepared) {
  play([this]() -> awaitable<void> {
    const auto db = co_await connect();
    const statement typo{"typo", "SELEKT 1"};
    for (int i = 0; i < 2; ++i) {
      const auto failure = co_await failure_of<query_error>(db->run(all(on(typo))));
      EXPECT_EQ(failure.value().sqlstate(), "42601");
      EXPECT_EQ(failure.value().statement_name(), "typo");
    }
    EXPECT_EQ((co_await ask(*db, "SELECT 1")).get_int(0, 0), 1);
  });
}

TEST_F(pg_connection, reports_a_commit_that_fails_at_the_sync) {
  play([this]() -> awaitable<void> {
    const auto db = co_await connect();
    co_await ask(*db, "CREATE TEMP TABLE t (n int UNIQUE DEFERRABLE INITIALLY DEFERRED)");
    const statement insert{"insert_n", "INSERT INTO t VALUES ($1)"};
    const auto failure = co_await failure_of<query_error>(
        db->run(all(on(insert, params("1")), on(insert, params("1")))));
    EXPECT_EQ(failure.value().sqlstate(), "23505");
    EXPECT_EQ((co_await ask(*db, "SELECT count(*) FROM t")).get_int(0, 0), 0);
    co_await db->run(all(on(insert, params("1"))));
    EXPECT_EQ((co_await ask(*db, "SELECT count(*) FROM t")).get_int(0, 0), 1);
  });
}

TEST_F(pg_connection, does_not_deadlock_when_both_directions_are_full) {
  play([this]() -> awaitable<void> {
    const auto db = co_await connect();
    const statement echo{"echo", "SELECT $1::text, $2::int"};
    const std::string big(4000, 'x');
    std::vector<call> calls;
    for (int i = 0; i < 20000; ++i) calls.push_back(on(echo, params(big, std::to_string(i))));
    const auto rows = co_await db->run(std::move(calls));
    EXPECT_EQ(rows.size(), 20000U);
    for (int i = 0; i < 20000; ++i) {
      const auto& row = rows[static_cast<std::size_t>(i)];
      if (row.get_int(0, 1) != i || row.get(0, 0) != big) ADD_FAILURE() << "wrong answer " << i;
    }
    const std::string huge(30'000'000, 'y');
    const auto echoed = co_await ask(*db, "SELECT $1::text", params(huge));
    EXPECT_EQ(echoed.get(0, 0), huge);
  });
}

TEST_F(pg_connection, an_empty_run_is_a_round_trip) {
  play([this]() -> awaitable<void> {
    const auto db = co_await connect();
    EXPECT_TRUE((co_await db->run({})).empty());
    EXPECT_EQ((co_await ask(*db, "SELECT 1")).get_int(0, 0), 1);
  });
}

TEST_F(pg_connection, keeps_an_explicit_transaction_over_several_runs) {
  play([this]() -> awaitable<void> {
    const auto db = co_await connect();
    co_await ask(*db, "CREATE TEMP TABLE t (n int)");
    for (const std::string ending : {"ROLLBACK", "COMMIT"}) {
      co_await ask(*db, "BEGIN");
      EXPECT_TRUE(db->in_transaction());
      co_await ask(*db, "INSERT INTO t VALUES (1)");
      co_await ask(*db, "INSERT INTO t VALUES (2)");
      EXPECT_FALSE(db->reusable());
      co_await ask(*db, ending);
      EXPECT_FALSE(db->in_transaction());
      const auto count = co_await ask(*db, "SELECT count(*) FROM t");
      EXPECT_EQ(count.get_int(0, 0), ending == "COMMIT" ? 2 : 0);
    }
  });
}

TEST_F(pg_connection, does_not_call_the_commit_of_a_failed_transaction_a_success) {
  play([this]() -> awaitable<void> {
    const auto db = co_await connect();
    co_await ask(*db, "BEGIN");
    EXPECT_TRUE(co_await failure_of<query_error>(ask(*db, "SELECT 1 / 0")));
    EXPECT_TRUE(db->in_transaction());
    const auto failure = co_await failure_of<query_error>(ask(*db, "COMMIT"));
    EXPECT_EQ(failure.value().sqlstate(), "25P02");
    EXPECT_TRUE(db->reusable());
  });
}

TEST_F(pg_connection, runs_a_script_inside_a_transaction) {
  play([this]() -> awaitable<void> {
    const auto db = co_await connect();
    co_await ask(*db, "BEGIN");
    co_await db->run_script(
        "CREATE TEMP TABLE t (n int); INSERT INTO t SELECT generate_series(1, 100000);"
        "SELECT repeat('x', 1000) FROM t; DO $$ BEGIN INSERT INTO t VALUES (0); END $$");
    EXPECT_TRUE(db->in_transaction());
    EXPECT_EQ((co_await ask(*db, "SELECT count(*) FROM t")).get_int(0, 0), 100001);
    const auto failure = co_await failure_of<query_error>(
        db->run_script("DELETE FROM t; SELECT 1 / 0; SELECT nonsense"));
    EXPECT_EQ(failure.value().message(), "division by zero");
    co_await ask(*db, "ROLLBACK");
    EXPECT_TRUE(db->reusable());
    EXPECT_EQ((co_await ask(*db, "SELECT to_regclass('t') IS NULL")).get(0, 0), "t");
  });
}

TEST_F(pg_connection, a_script_whose_server_goes_away_loses_the_connection) {
  play([this]() -> awaitable<void> {
    const auto db = co_await connect();
    const auto failure = co_await failure_of<connection_lost>(
        db->run_script("SELECT 1; SELECT pg_terminate_backend(pg_backend_pid())"));
    EXPECT_TRUE(failure.value().maybe_committed);
    EXPECT_TRUE(db->broken());
  });
}

// An isolation level can only be named before the first statement.
TEST_F(pg_connection, sets_the_search_path_behind_a_begin) {
  play([this]() -> awaitable<void> {
    auto options = test_settings();
    options.pooled = true;
    options.system_names_only = true;
    const auto db = co_await connect(options);
    co_await ask(*db, "BEGIN ISOLATION LEVEL SERIALIZABLE");
    const auto row = co_await ask(
        *db, "SELECT current_setting('transaction_isolation'), current_setting('search_path')");
    EXPECT_EQ(row.get(0, 0), "serializable");
    EXPECT_EQ(row.get(0, 1), "pg_catalog, pg_temp");
    co_await ask(*db, "COMMIT");
  });
}

TEST_F(pg_connection, limits_the_time_of_each_statement) {
  for (const bool pooled : {false, true}) {
    play([this, pooled]() -> awaitable<void> {
      auto options = test_settings();
      options.pooled = pooled;
      options.statement_timeout = std::chrono::milliseconds(50);
      const auto db = co_await connect(options);
      const auto failure = co_await failure_of<query_error>(ask(*db, "SELECT pg_sleep(60)"));
      EXPECT_EQ(failure.value().sqlstate(), "57014");
      EXPECT_FALSE(db->broken());
      co_await ask(*db, "BEGIN");
      const auto inside = co_await failure_of<query_error>(ask(*db, "SELECT pg_sleep(60)"));
      EXPECT_EQ(inside.value().sqlstate(), "57014");
      co_await ask(*db, "ROLLBACK");
    });
  }
}

// The other way round the server would go on with a statement that nobody waits for.
TEST_F(pg_connection, lets_the_server_give_up_before_it_does) {
  for (const bool pooled : {false, true}) {
    play([this, pooled]() -> awaitable<void> {
      auto options = test_settings();
      options.pooled = pooled;
      options.answer_timeout = 2s;
      const auto db = co_await connect(options);
      EXPECT_EQ((co_await ask(*db, "SHOW statement_timeout")).get(0, 0), "1800ms");
      const auto failure = co_await failure_of<query_error>(ask(*db, "SELECT pg_sleep(60)"));
      EXPECT_EQ(failure.value().sqlstate(), "57014");
      EXPECT_TRUE(db->reusable());
    });
  }
}

TEST_F(pg_connection, limits_the_time_that_a_statement_waits_for_a_lock) {
  for (const bool pooled : {false, true}) {
    play([this, pooled]() -> awaitable<void> {
      const auto holder = co_await connect();
      co_await ask(*holder, "SELECT pg_advisory_lock(4713)");
      auto options = test_settings();
      options.pooled = pooled;
      options.lock_timeout = 50ms;
      const auto db = co_await connect(options);
      const auto failure =
          co_await failure_of<query_error>(ask(*db, "SELECT pg_advisory_lock(4713)"));
      EXPECT_EQ(failure.value().sqlstate(), "55P03");
      EXPECT_TRUE(db->reusable());
    });
  }
}

// Of a role or a database, for example. One that is longer would not be waited for.
TEST_F(pg_connection, leaves_shorter_limits_of_the_server_in_force) {
  for (const bool pooled : {false, true}) {
    for (const std::string of_server : {"50ms", "1min"}) {
      play([this, pooled, of_server]() -> awaitable<void> {
        auto options = test_settings();
        options.url += "?options=-c%20statement_timeout%3D" + of_server +
                       "%20-c%20lock_timeout%3D" + of_server;
        options.pooled = pooled;
        options.statement_timeout = 20s;
        options.lock_timeout = 10s;
        const auto db = co_await connect(options);
        const auto row = co_await ask(
            *db, "SELECT current_setting('statement_timeout'), current_setting('lock_timeout')");
        EXPECT_EQ(row.get(0, 0), of_server == "50ms" ? "50ms" : "20s");
        EXPECT_EQ(row.get(0, 1), of_server == "50ms" ? "50ms" : "10s");
      });
    }
  }
}

TEST_F(pg_connection, notices_between_runs_that_the_server_ended_it) {
  play([this]() -> awaitable<void> {
    const auto db = co_await connect();
    co_await terminate(db->backend_pid());
    const auto failure = co_await failure_of<connection_lost>(ask(*db, "SELECT 1"));
    EXPECT_FALSE(failure.value().maybe_committed);
    EXPECT_EQ(failure.value().sqlstate(), "57P01");
    EXPECT_TRUE(db->broken());
    EXPECT_TRUE(co_await failure_of<connection_lost>(ask(*db, "SELECT 1")));
  });
}

TEST_F(pg_connection, notices_during_a_run_that_the_server_ended_it) {
  play([this]() -> awaitable<void> {
    const auto observer = co_await connect();
    for (const bool in_block : {false, true}) {
      const auto db = co_await connect();
      if (in_block) co_await ask(*db, "BEGIN");
      const auto failure =
          co_await (failure_of<connection_lost>(ask(*db, "SELECT pg_sleep(600)")) &&
                    terminate_sleeper(*observer, db->backend_pid()));
      EXPECT_EQ(failure.value().maybe_committed, !in_block);
      EXPECT_EQ(failure.value().sqlstate(), "57P01");
      EXPECT_TRUE(db->broken());
    }
  });
}

TEST_F(pg_connection, gives_up_on_an_answer_that_takes_too_long) {
  play([this]() -> awaitable<void> {
    auto options = test_settings();
    options.answer_timeout = 100ms;
    const auto db = co_await connect(options);
    const int pid = db->backend_pid();
    // As for a server that is stopped.
    co_await ask(*db, "SELECT set_config('statement_timeout', '0', false)");
    const auto failure = co_await failure_of<connection_lost>(ask(*db, "SELECT pg_sleep(600)"));
    EXPECT_TRUE(failure.value().maybe_committed);
    EXPECT_NE(std::string(failure.value().what()).find("100 ms"), std::string::npos);
    EXPECT_TRUE(db->broken());
    co_await terminate(pid);
  });
}

TEST_F(pg_connection, a_cancellation_does_not_tear_a_run) {
  play([this]() -> awaitable<void> {
    const auto holder = co_await connect();
    const auto db = co_await connect();
    co_await ask(*holder, "SELECT pg_advisory_lock(4711)");
    asio::cancellation_signal signal;
    bool answered = false;
    auto locked = [&]() -> awaitable<void> {
      co_await ask(*db, "SELECT pg_advisory_xact_lock(4711)");
      answered = true;
      co_await ask(*db, "SELECT 1");
      ADD_FAILURE() << "the cancellation was forgotten";
    };
    const auto started = spawn(locked, signal.slot());
    co_await until_waits(*holder, db->backend_pid(), "advisory");
    signal.emit(asio::cancellation_type::terminal);
    co_await ask(*holder, "SELECT pg_advisory_unlock(4711)");
    co_await finished(started);
    EXPECT_TRUE(answered);
    EXPECT_THROW(std::rethrow_exception(started->failure), boost::system::system_error);
    EXPECT_TRUE(db->reusable());
  });
}

}  // namespace
}  // namespace rowrunner::pg
