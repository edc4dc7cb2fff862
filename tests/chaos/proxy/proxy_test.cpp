// The fault proxy between a real client and a real PostgreSQL: each fault does what it says, and
// nothing else.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <pqxx/pqxx>

#include "chaos/proxy/fault_proxy.hpp"
#include "common/pg/error.hpp"
#include "common/pg/exec.hpp"
#include "common/pg/session.hpp"
#include "integration/pg_fixture.hpp"
#include "support/postgres.hpp"

namespace rowrunner::chaos {
namespace {

using pg::all;
using pg::ask;
using pg::awaitable;
using pg::failure_of;
using pg::on;
using ::testing::HasSubstr;
using namespace std::chrono_literals;

std::string make_folder() {
  std::string name = ::testing::TempDir() + "/proxyXXXXXX";
  return mkdtemp(name.data());
}

class fault_proxy_test : public pg::pg_fixture {
 protected:
  fault_proxy_test() {
    db.exec("CREATE TABLE t (n integer)");
    options.url = url;
  }
  ~fault_proxy_test() override { std::filesystem::remove_all(folder); }

  awaitable<std::unique_ptr<pg::connection>> client() { return connect(options); }
  awaitable<void> insert(pg::connection& through) {
    co_await ask(through, "INSERT INTO t VALUES (1)");
  }
  std::string rows() { return db.value("SELECT count(*) FROM t"); }
  std::string record() {
    std::ifstream file(proxy.record_path());
    return {std::istreambuf_iterator<char>(file), {}};
  }
  bool refuses(const std::string& command, const std::string& reason) {
    try {
      proxy.tell(command);
      return false;
    } catch (const std::runtime_error& e) {
      return std::string(e.what()).find(reason) != std::string::npos;
    }
  }

  testing::test_database db;
  std::string folder = make_folder();
  fault_proxy proxy{folder};
  std::string url = proxy.open("a", db.url());
  pg::settings options;
};

TEST_F(fault_proxy_test, passes_everything_on_unchanged) {
  pqxx::connection through(url);
  pqxx::work tx(through);
  const std::string text(300'000, 'x');
  EXPECT_EQ(pg::exec(tx, "SELECT $1 || 'y'", text)[0][0].as<std::string>(), text + "y");
  EXPECT_EQ(tx.exec("SELECT repeat('z', 1000) FROM generate_series(1, 2000)").size(), 2000U);
  EXPECT_EQ(proxy.tell("connections a"), "1");
}

TEST_F(fault_proxy_test, a_delay_holds_up_each_way_by_itself) {
  play([this]() -> awaitable<void> {
    const auto through = co_await client();
    proxy.tell("delay a 150 to-server");
    const auto begun = std::chrono::steady_clock::now();
    co_await ask(*through, "SELECT 1");
    EXPECT_GE(std::chrono::steady_clock::now() - begun, 150ms);
    proxy.tell("delay a 100");
    const auto again = std::chrono::steady_clock::now();
    co_await ask(*through, "SELECT 1");
    EXPECT_GE(std::chrono::steady_clock::now() - again, 200ms);
  });
}

TEST_F(fault_proxy_test, a_drip_is_slow_and_whole) {
  play([this]() -> awaitable<void> {
    const auto through = co_await client();
    proxy.tell("drip a 20 1");
    const auto got = co_await ask(*through, "SELECT repeat('x', 500)");
    EXPECT_EQ(got.get(0, 0), std::string(500, 'x'));
  });
}

TEST_F(fault_proxy_test, a_stall_is_silence_and_its_end_brings_what_was_held_up) {
  play([this]() -> awaitable<void> {
    options.answer_timeout = 200ms;
    const auto hasty = co_await client();
    options.answer_timeout = 30s;
    const auto patient = co_await client();
    proxy.tell("stall a");
    const auto lost = co_await failure_of<pg::connection_lost>(insert(*hasty));
    EXPECT_THAT(lost->what(), HasSubstr("no answer within 200 ms"));
    EXPECT_EQ(rows(), "0");
    const auto waiting = spawn(insert(*patient));
    co_await settle();
    EXPECT_FALSE(waiting->over);
    proxy.tell("heal a");
    co_await finished(waiting);
    EXPECT_FALSE(waiting->failure);
    // What the hasty client sent before it went away may have arrived as well.
    EXPECT_NE(rows(), "0");
  });
}

TEST_F(fault_proxy_test, a_new_connection_waits_out_a_stall_and_is_refused_by_refuse) {
  play([this]() -> awaitable<void> {
    options.connect_timeout = 100ms;
    proxy.tell("stall a");
    const auto late = co_await failure_of<pg::connect_failed>(client());
    EXPECT_THAT(late->what(), HasSubstr("no answer within"));
    proxy.tell("heal a");
    proxy.tell("refuse a");
    options.connect_timeout = 30s;
    co_await failure_of<pg::connect_failed>(client());
    proxy.tell("heal a");
    const auto through = co_await client();
    co_await insert(*through);
    EXPECT_EQ(rows(), "1");
  });
}

TEST_F(fault_proxy_test, a_reset_and_a_half_close_end_the_connection_and_not_the_link) {
  play([this]() -> awaitable<void> {
    for (const std::string how : {"reset", "half-close"}) {
      const auto through = co_await client();
      proxy.tell(how + " a");
      co_await failure_of<pg::connection_lost>(insert(*through));
      const auto fresh = co_await client();
      co_await insert(*fresh);
    }
    EXPECT_EQ(rows(), "2");
  });
}

TEST_F(fault_proxy_test, bytes_run_out_in_the_middle_of_an_answer) {
  play([this]() -> awaitable<void> {
    const auto through = co_await client();
    proxy.tell("cut-bytes a to-client 1000");
    co_await failure_of<pg::connection_lost>(ask(*through, "SELECT repeat('x', 5000)"));
    EXPECT_THAT(record(), HasSubstr(" a cut to-client after bytes"));
    const auto fresh = co_await client();
    EXPECT_EQ((co_await ask(*fresh, "SELECT repeat('x', 5000)")).get(0, 0).size(), 5000U);
  });
}

/// The three ways in which a transaction commits.
enum class style { pipeline, block, simple };

class cut_commit : public fault_proxy_test, public ::testing::WithParamInterface<style> {
 protected:
  /// True if the client learned that it is done.
  bool acknowledged() {
    if (GetParam() == style::simple) {
      try {
        pqxx::connection through(url);
        pqxx::work tx(through);
        tx.exec("INSERT INTO t VALUES (1)");
        tx.commit();
        return true;
      } catch (const pqxx::failure&) {
        return false;
      }
    }
    bool done = false;
    play([&, this]() -> awaitable<void> {
      const auto through = co_await client();
      const pg::statement begin{"begin", "BEGIN"}, commit{"commit", "COMMIT"};
      if (GetParam() == style::block) co_await through->run(all(on(begin)));
      const pg::statement insert{"insert_row", "INSERT INTO t VALUES (1)"};
      auto calls = all(on(insert));
      if (GetParam() == style::block) calls.push_back(on(commit));
      try {
        co_await through->run(std::move(calls));
        done = true;
      } catch (const pg::connection_lost& e) {
        EXPECT_TRUE(e.maybe_committed);
      }
    });
    io_.restart();
    return done;
  }
  std::string text() const { return GetParam() == style::simple ? "INSERT" : "insert_row"; }
};

TEST_P(cut_commit, that_never_arrives_leaves_nothing) {
  proxy.tell("cut a to-server commit 1 " + text());
  EXPECT_FALSE(acknowledged());
  EXPECT_EQ(rows(), "0");
  EXPECT_THAT(record(), HasSubstr(" a cut to-server commit "));
  EXPECT_TRUE(acknowledged()) << "it was cut once";
  EXPECT_EQ(rows(), "1");
}

TEST_P(cut_commit, whose_answer_is_lost_has_happened) {
  proxy.tell("cut a to-client commit 1 " + text());
  EXPECT_FALSE(acknowledged());
  EXPECT_EQ(rows(), "1");
  EXPECT_THAT(record(), HasSubstr(" a cut to-client commit "));
  EXPECT_TRUE(acknowledged());
  EXPECT_EQ(rows(), "2");
}

TEST_P(cut_commit, of_another_transaction_is_left_alone) {
  proxy.tell("cut a to-server commit 0 something_else");
  EXPECT_TRUE(acknowledged());
  EXPECT_EQ(rows(), "1");
}

std::string name_of_style(const ::testing::TestParamInfo<style>& each) {
  constexpr const char* names[] = {"pipeline", "block", "simple"};
  return names[static_cast<int>(each.param)];
}

INSTANTIATE_TEST_SUITE_P(each_style, cut_commit,
                         ::testing::Values(style::pipeline, style::block, style::simple),
                         name_of_style);

TEST_F(fault_proxy_test, a_dropped_notification_is_never_heard_and_the_next_one_is) {
  play([this]() -> awaitable<void> {
    const auto through = co_await client();
    co_await ask(*through, "LISTEN news");
    proxy.tell("drop a to-client NotificationResponse");
    db.exec("NOTIFY news, 'lost'");
    db.exec("NOTIFY news, 'heard'");
    EXPECT_TRUE(co_await through->wait_notification(30s));
    const auto heard = through->take_notifications();
    EXPECT_EQ(heard.size(), 1U);
    EXPECT_EQ(heard.at(0).payload, "heard");
  });
}

TEST_F(fault_proxy_test, any_message_by_its_name_can_cut_the_connection) {
  play([this]() -> awaitable<void> {
    const auto through = co_await client();
    proxy.tell("cut a to-client DataRow");
    co_await failure_of<pg::connection_lost>(ask(*through, "SELECT 1"));
    const auto fresh = co_await client();
    proxy.tell("cut a to-server Parse");
    co_await failure_of<pg::connection_lost>(ask(*fresh, "SELECT 1"));
  });
}

TEST_F(fault_proxy_test, commands_that_make_no_sense_are_refused_with_a_reason) {
  EXPECT_TRUE(refuses("", "which command?"));
  EXPECT_TRUE(refuses("stall b", "there is no link b"));
  EXPECT_TRUE(refuses("dance a", "there is no command dance"));
  EXPECT_TRUE(refuses("open a 127.0.0.1:1", "there is a link a already"));
  EXPECT_TRUE(refuses("open b nowhere", "a server is HOST:PORT"));
  EXPECT_TRUE(refuses("delay a soon", "soon is not a number"));
  EXPECT_TRUE(refuses("cut a sideways commit", "neither to-server nor to-client"));
  EXPECT_TRUE(refuses("cut a to-server DataRow", "no message DataRow goes to-server"));
}

}  // namespace
}  // namespace rowrunner::chaos
