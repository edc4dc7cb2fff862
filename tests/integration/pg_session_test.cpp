#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "common/pg/error.hpp"
#include "common/pg/until_answered.hpp"
#include "pg_fixture.hpp"

namespace rowrunner::pg {
namespace {

using namespace std::chrono_literals;
using tcp = asio::ip::tcp;

class pg_session : public pg_fixture {
 protected:
  // Asks over the session; the pid tells which connection answered.
  awaitable<std::int64_t> pid_of(session& db) {
    static const statement stmt{"pid", "SELECT pg_backend_pid()"};
    co_return (co_await db.run_one(with(stmt))).get_int(0, 0);
  }

  /// What stands between "dev:" and "@" in the URL, if anything.
  static std::string password() {
    const std::string url = test_url();
    const auto at = url.find('@');
    const auto colon = url.rfind(':', at);
    return url[colon + 1] == '/' ? "" : " password=" + url.substr(colon + 1, at - colon - 1);
  }

  static std::string real_port() {
    const std::string url = test_url();
    const auto colon = url.rfind(':');
    return url.substr(colon + 1, url.find('/', colon) - colon - 1);
  }
};

TEST_F(pg_session, wakes_up_on_a_notification) {
  play([this]() -> awaitable<void> {
    const auto listener = co_await connect();
    const auto sender = co_await connect();
    co_await ask(*listener, "LISTEN news");
    EXPECT_FALSE(co_await listener->wait_notification(0ms));
    const bool woken = std::get<0>(co_await (listener->wait_notification(1h) &&
                                             ask(*sender, "SELECT pg_notify('news', 'hello')")));
    EXPECT_TRUE(woken);
    const auto heard = listener->take_notifications();
    EXPECT_EQ(heard.size(), 1U);
    EXPECT_EQ(heard.at(0).channel, "news");
    EXPECT_EQ(heard.at(0).payload, "hello");
    co_await ask(*listener, "NOTIFY news");
    EXPECT_EQ(listener->take_notifications().size(), 1U) << "a run() collects them too";
  });
}

TEST_F(pg_session, a_wait_ends_when_interrupted_or_when_a_run_starts) {
  play([this]() -> awaitable<void> {
    const auto db = co_await connect();
    for (const bool by_run : {false, true}) {
      bool woken = true;
      const auto wait =
          spawn([&]() -> awaitable<void> { woken = co_await db->wait_notification(1h); });
      co_await settle();
      if (!by_run) db->interrupt_wait();
      EXPECT_EQ((co_await ask(*db, "SELECT 5")).get_int(0, 0), 5);
      co_await finished(wait);
      EXPECT_FALSE(woken);
    }
  });
}

TEST_F(pg_session, a_wait_notices_that_the_server_ended_the_connection) {
  play([this]() -> awaitable<void> {
    const auto db = co_await connect();
    const auto failure = co_await (failure_of<connection_lost>(db->wait_notification(1h)) &&
                                   terminate(db->backend_pid()));
    EXPECT_FALSE(failure.value().maybe_committed);
    EXPECT_EQ(failure.value().sqlstate(), "57P01");
    EXPECT_TRUE(db->broken());
  });
}

TEST_F(pg_session, says_where_no_server_listens_without_the_password) {
  play([this]() -> awaitable<void> {
    settings nowhere;
    nowhere.url = "postgresql://me:s3cret@127.0.0.1:1/jobs";
    session db(io_.get_executor(), nowhere);
    const auto failure = co_await failure_of<connect_failed>(pid_of(db));
    const std::string text = failure.value().what();
    EXPECT_NE(text.find("host 127.0.0.1, port 1, database jobs"), std::string::npos) << text;
    EXPECT_NE(text.find("Check that the server runs"), std::string::npos) << text;
    EXPECT_EQ(text.find("s3cret"), std::string::npos) << text;
  });
}

TEST_F(pg_session, gives_up_on_a_server_that_accepts_but_never_answers) {
  play([this]() -> awaitable<void> {
    tcp::acceptor mute(io_, tcp::endpoint(asio::ip::address_v4::loopback(), 0));
    settings options;
    options.url = "host=127.0.0.1 port=" + std::to_string(mute.local_endpoint().port());
    options.connect_timeout = 100ms;
    const auto failure = co_await failure_of<connect_failed>(connect(options));
    EXPECT_NE(std::string(failure.value().what()).find("no answer within 100 ms"),
              std::string::npos);
  });
}

TEST_F(pg_session, goes_on_to_the_next_host_when_the_first_one_is_a_black_hole) {
  play([this]() -> awaitable<void> {
    // With its queue of pending connections full, the kernel drops further ones without a word.
    tcp::acceptor hole(io_, tcp::v4());
    hole.bind(tcp::endpoint(asio::ip::address_v4::loopback(), 0));
    hole.listen(0);
    std::vector<tcp::socket> filling;
    for (int i = 0; i < 4; ++i) {
      filling.emplace_back(io_, tcp::v4());
      filling.back().async_connect(hole.local_endpoint(), asio::detached);
    }
    auto options = test_settings();
    options.url =
        "host=127.0.0.1,127.0.0.1 user=dev dbname=postgres "
        "target_session_attrs=read-write port=" +
        std::to_string(hole.local_endpoint().port()) + "," + real_port() + password();
    options.connect_timeout = 300ms;
    const auto db = co_await connect(options);
    EXPECT_EQ((co_await ask(*db, "SELECT 1")).get_int(0, 0), 1);
  });
}

TEST_F(pg_session, comes_back_after_the_server_ended_the_connection) {
  play([this]() -> awaitable<void> {
    session db(io_.get_executor(), test_settings());
    const std::vector<statement> first{{"", "LISTEN news"}, {"", "SET application_name = 'back'"}};
    db.on_connect(first);
    const auto before = co_await pid_of(db);
    co_await terminate(static_cast<int>(before));
    EXPECT_TRUE(co_await failure_of<connection_lost>(pid_of(db)));
    EXPECT_EQ(db.reconnects(), 0);
    const auto after = co_await pid_of(db);
    EXPECT_NE(after, before);
    EXPECT_EQ(db.reconnects(), 1);
    EXPECT_EQ(co_await pid_of(db), after) << "it stays";
    const statement name{"", "SHOW application_name"};
    EXPECT_EQ((co_await db.run_one(with(name))).get(0, 0), "back");
    db.close();
    EXPECT_NE(co_await pid_of(db), after);
    EXPECT_EQ(db.reconnects(), 1) << "this one was not lost";
  });
}

TEST_F(pg_session, until_answered_asks_again_what_may_succeed_later) {
  testing::test_database db;
  db.exec("CREATE SEQUENCE tries");
  db.exec(
      "CREATE FUNCTION third_time(code text) RETURNS bigint LANGUAGE plpgsql AS $$ BEGIN"
      " IF nextval('tries') % 3 <> 0 THEN RAISE EXCEPTION 'not yet' USING ERRCODE = code; END IF;"
      " RETURN currval('tries'); END $$");
  settings options;
  options.url = db.url();
  const statement stmt{"third_time", "SELECT third_time($1)"};
  play([&]() -> awaitable<void> {
    session asked(io_.get_executor(), options);
    int tries = 0;
    const std::function<void()> count = [&] { ++tries; };
    // A serialization failure, a deadlock, a lock timeout, a statement timeout.
    for (const std::string code : {"40001", "40P01", "55P03", "57014"}) {
      tries = 0;
      co_await until_answered(asked, together(with(stmt, code)), count);
      EXPECT_EQ(tries, 3) << code;
    }
    co_await terminate(static_cast<int>(co_await pid_of(asked)));
    tries = 0;
    const statement plain{"", "SELECT 1"};
    co_await until_answered(asked, together(with(plain)), count);
    EXPECT_EQ(tries, 2) << "once on the dead connection, once on a new one";
    tries = 0;
    auto refused = until_answered(asked, together(with(stmt, std::string("22012"))), count);
    EXPECT_TRUE(co_await failure_of<query_error>(std::move(refused)));
    EXPECT_EQ(tries, 1) << "it stays wrong";
    const std::function<void()> enough = [] { throw std::runtime_error("enough"); };
    auto given_up = until_answered(asked, together(with(plain)), enough);
    EXPECT_TRUE(co_await failure_of<std::runtime_error>(std::move(given_up)));
  });
}

TEST_F(pg_session, drops_a_connection_that_is_left_in_a_transaction) {
  play([this]() -> awaitable<void> {
    session db(io_.get_executor(), test_settings());
    const auto before = co_await pid_of(db);
    {
      const auto turn = co_await db.acquire();
      co_await ask(*turn, "BEGIN");
      co_await ask(*turn, "COMMIT");
    }
    EXPECT_EQ(co_await pid_of(db), before);
    {
      const auto turn = co_await db.acquire();
      co_await ask(*turn, "BEGIN");
    }
    EXPECT_NE(co_await pid_of(db), before);
  });
}

TEST_F(pg_session, drops_a_connection_whose_prepared_statements_no_longer_fit) {
  play([this]() -> awaitable<void> {
    session db(io_.get_executor(), test_settings());
    const statement create{"", "CREATE TABLE pg_session_fit AS SELECT 1 AS n"};
    const statement alter{"", "ALTER TABLE pg_session_fit ADD m int"};
    const statement drop{"", "DROP TABLE IF EXISTS pg_session_fit"};
    const statement read{"read", "SELECT * FROM pg_session_fit"};
    co_await db.run(all(on(drop), on(create)));
    co_await db.run_one(with(read));
    co_await db.run_one(with(alter));
    const auto failure = co_await failure_of<query_error>(db.run_one(with(read)));
    EXPECT_EQ(failure.value().sqlstate(), "0A000");
    EXPECT_EQ((co_await db.run_one(with(read))).columns(), 2);
    co_await db.run_one(with(drop));
  });
}

TEST_F(pg_session, serves_in_order_and_a_cancelled_one_leaves_the_queue) {
  play([this]() -> awaitable<void> {
    session db(io_.get_executor(), test_settings());
    std::optional<session::turn> held(co_await db.acquire());
    std::vector<int> served;
    auto use = [&](int number) -> awaitable<void> {
      co_await pid_of(db);
      served.push_back(number);
    };
    asio::cancellation_signal cancel;
    const auto first = spawn(use(1));
    const auto second = spawn(use(2), cancel.slot());
    const auto third = spawn(use(3));
    co_await settle();
    cancel.emit(asio::cancellation_type::terminal);
    co_await finished(second);
    held.reset();
    co_await finished(third);
    co_await finished(first);
    EXPECT_EQ(served, (std::vector<int>{1, 3}));
  });
}

TEST_F(pg_session, an_urgent_one_is_next) {
  play([this]() -> awaitable<void> {
    session db(io_.get_executor(), test_settings());
    std::optional<session::turn> held(co_await db.acquire());
    std::vector<int> served;
    auto use = [&](int number, session::urgency how) -> awaitable<void> {
      const auto turn = co_await db.acquire(how);
      served.push_back(number);
    };
    const auto first = spawn(use(1, session::urgency::in_order));
    const auto second = spawn(use(2, session::urgency::in_order));
    const auto urgent = spawn(use(3, session::urgency::next));
    co_await settle();
    held.reset();
    co_await finished(second);
    EXPECT_EQ(served, (std::vector<int>{3, 1, 2}));
  });
}

TEST_F(pg_session, passes_the_turn_on_when_its_owner_is_cancelled_at_that_moment) {
  play([this]() -> awaitable<void> {
    session db(io_.get_executor(), test_settings());
    std::optional<session::turn> held(co_await db.acquire());
    asio::cancellation_signal cancel;
    auto use = [&]() -> awaitable<void> { co_await pid_of(db); };
    const auto first = spawn(use(), cancel.slot());
    const auto second = spawn(use());
    co_await settle();
    held.reset();
    cancel.emit(asio::cancellation_type::terminal);
    co_await finished(first);
    co_await finished(second);
    co_await pid_of(db);
  });
}

TEST_F(pg_session, others_use_the_connection_while_one_waits_for_a_notification) {
  play([this]() -> awaitable<void> {
    session db(io_.get_executor(), test_settings());
    db.on_connect(std::vector<statement>{{"", "LISTEN gossip"}});
    bool woken = false;
    const auto wait =
        spawn([&]() -> awaitable<void> { woken = co_await db.wait_notification(1h); });
    const auto first = co_await pid_of(db);
    for (int i = 0; i < 5; ++i) {
      EXPECT_EQ(co_await pid_of(db), first);
      co_await settle();
    }
    const auto sender = co_await connect();
    co_await ask(*sender, "NOTIFY gossip");
    co_await finished(wait);
    EXPECT_TRUE(woken);
    EXPECT_EQ(db.take_notifications().size(), 1U);
    EXPECT_FALSE(co_await db.wait_notification(1ms));
    const auto closed =
        spawn([&]() -> awaitable<void> { woken = co_await db.wait_notification(1h); });
    co_await settle();
    db.close();
    co_await finished(closed);
    EXPECT_FALSE(woken);
  });
}

TEST_F(pg_session, a_notification_that_came_with_an_answer_is_not_waited_for) {
  play([this]() -> awaitable<void> {
    session db(io_.get_executor(), test_settings());
    db.on_connect(std::vector<statement>{{"", "LISTEN news"}});
    const statement notify{"", "NOTIFY news"};
    co_await db.run_one(with(notify));
    EXPECT_TRUE(co_await db.wait_notification(1h));
    EXPECT_EQ(db.take_notifications().size(), 1U);
  });
}

TEST_F(pg_session, may_be_destroyed_before_the_coroutines_that_use_it) {
  auto db = std::make_unique<session>(io_.get_executor(), test_settings());
  // Its end is not awaited; it is short only to leave no backend behind.
  const statement sleep{"", "SELECT pg_sleep(10)"};
  const auto use = [&]() -> awaitable<void> { co_await db->run_one(with(sleep)); };
  play([&]() -> awaitable<void> {
    const int pid = static_cast<int>(co_await pid_of(*db));
    asio::co_spawn(io_, use(), asio::detached);
    asio::co_spawn(io_, use(), asio::detached);
    const auto observer = co_await connect();
    co_await until_waits(*observer, pid, "PgSleep");
  });
  db.reset();
}

}  // namespace
}  // namespace rowrunner::pg
