// A transaction that was left open blocks VACUUM, and is named.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <csignal>
#include <sstream>

#include "queries/engine.hpp"
#include "support/paths.hpp"
#include "support/postgres.hpp"
#include "support/process.hpp"
#include "worker/vacuum_watch.hpp"

namespace rowrunner::testing {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;
using namespace std::chrono_literals;

/// A session that has read once, and left its transaction open.
class forgotten {
 public:
  explicit forgotten(const test_database& db, const std::string& last_words = "SELECT 'hush'")
      : connection_(db.url()), tx_(connection_) {
    tx_.exec("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ");
    tx_.exec("SET LOCAL application_name = 'forgotten'");
    // Older than the shortest alarm of these tests, which a quick one would not be.
    while (!tx_.exec("SELECT clock_timestamp() - now() > interval '2 ms'")[0][0].as<bool>()) {
    }
    tx_.exec(last_words);
  }
  std::string pid() const { return std::to_string(connection_.backendpid()); }

 private:
  pqxx::connection connection_;
  pqxx::work tx_;
};

class horizon : public ::testing::Test {
 protected:
  std::string stats(const std::vector<std::string>& more,
                    const process_environment& environment = {}) const {
    std::vector<std::string> argv{rowrunner_binary(), "stats", "--database-url", db.url()};
    argv.insert(argv.end(), more.begin(), more.end());
    const auto result = run_process(argv, environment);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return result.out;
  }
  json held(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments{"--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return json::parse(stats(arguments))["horizon"];
  }

  test_database db;
};

TEST_F(horizon, is_free_when_no_session_holds_it) {
  EXPECT_EQ(held({"--vacuum-blocker-alarm", "0.001"}),
            (json{{"held_seconds", 0.0}, {"transactions", 0}, {"held_by", json::array()}}));
  EXPECT_THAT(stats({"--vacuum-blocker-alarm", "0.001"}), Not(HasSubstr("Dead rows")));
}

TEST_F(horizon, metrics_name_the_session_that_holds_it_and_what_to_do) {
  const auto free = stats({"--prometheus", "--vacuum-blocker-alarm", "0.001"});
  EXPECT_THAT(free, HasSubstr("\nrowrunner_horizon_held_seconds 0\n"));
  EXPECT_THAT(free, Not(HasSubstr("rowrunner_horizon_held_by{")));
  const forgotten session(db);
  const auto held = stats({"--prometheus", "--vacuum-blocker-alarm", "0.001"});
  EXPECT_THAT(held, ContainsRegex("\nrowrunner_horizon_held_seconds [0-9]+[.][0-9]+\n"));
  EXPECT_THAT(
      held, AllOf(HasSubstr("\nrowrunner_horizon_held_by{what=\"session\",name=\"" + session.pid() +
                            "\",application=\"forgotten\",user=\""),
                  HasSubstr("state=\"idle in transaction\",since=\"2"),
                  HasSubstr("advice=\"end it: SELECT pg_terminate_backend(" + session.pid() + ")"),
                  Not(HasSubstr("hush"))));
  EXPECT_THAT(stats({"--prometheus"}), Not(HasSubstr("held_by{"))) << "not for so long yet";
}

TEST_F(horizon, stats_name_the_session_that_holds_it_and_what_to_do) {
  const forgotten session(db);
  EXPECT_THAT(stats({"--vacuum-blocker-alarm", "0.001"}),
              AllOf(HasSubstr("Dead rows are kept since 2"),
                    HasSubstr(" by session " + session.pid() + " (forgotten, user "),
                    HasSubstr(", idle in transaction).\n  Its statement: SELECT …\n"),
                    HasSubstr("What to do: end it: SELECT pg_terminate_backend(" + session.pid()),
                    Not(HasSubstr("hush"))));
  EXPECT_THAT(stats({}, {{"VACUUM_BLOCKER_ALARM", "0.001"}}), HasSubstr(session.pid()));
  const auto by = held({"--vacuum-blocker-alarm", "0.001"})["held_by"];
  ASSERT_EQ(by.size(), 1);
  EXPECT_EQ(by[0]["what"], "session");
  EXPECT_EQ(by[0]["name"], session.pid());
  EXPECT_EQ(by[0]["application"], "forgotten");
  EXPECT_EQ(by[0]["state"], "idle in transaction");
  EXPECT_EQ(by[0]["statement"], "SELECT …");
  EXPECT_TRUE(by[0]["since"].get<std::string>().ends_with("Z"));
  EXPECT_GT(by[0]["held_seconds"], 0);
}

TEST_F(horizon, is_measured_but_no_session_named_before_the_alarm) {
  const forgotten session(db);
  for (const std::vector<std::string>& often : {std::vector<std::string>{},
                                                {"--vacuum-blocker-alarm", "0"},
                                                {"--vacuum-blocker-alarm", "3600"}}) {
    const auto found = held(often);
    EXPECT_GT(found["held_seconds"], 0);
    EXPECT_EQ(found["held_by"], json::array());
    EXPECT_THAT(stats(often), Not(HasSubstr("Dead rows")));
  }
}

TEST_F(horizon, counts_the_transactions_that_came_after) {
  const forgotten session(db);
  for (int i = 0; i < 5; ++i) db.exec("SELECT pg_current_xact_id()");
  EXPECT_GE(held()["transactions"], 5);
}

TEST_F(horizon, is_held_by_a_transaction_that_only_wrote) {
  pqxx::connection other(db.url());
  pqxx::work tx(other);
  tx.exec("CREATE TABLE t ()");
  const auto by = held({"--vacuum-blocker-alarm", "0.001"})["held_by"];
  ASSERT_EQ(by.size(), 1);
  EXPECT_EQ(by[0]["name"], std::to_string(other.backendpid()));
}

TEST_F(horizon, of_another_database_does_not_matter_here) {
  const test_database elsewhere;
  const forgotten session(elsewhere);
  EXPECT_EQ(held({"--vacuum-blocker-alarm", "0.001"})["held_by"], json::array());
}

TEST_F(horizon, a_role_that_may_not_see_sessions_still_learns_which_one_it_is) {
  const forgotten session(db);
  pqxx::work tx(db.connection());
  tx.exec("SET LOCAL ROLE rowrunner_worker");
  const auto seen = tx.exec(std::string(queries::vacuum_blockers.text));
  ASSERT_EQ(seen.size(), 1);
  EXPECT_EQ(seen[0][1].as<std::string>(), session.pid());
  EXPECT_TRUE(seen[0][4].is_null());
  EXPECT_TRUE(seen[0][5].is_null());
  EXPECT_TRUE(seen[0][8].is_null());
}

TEST_F(horizon, alarm_must_be_a_time) {
  for (const std::string wrong : {"-1", "soon", "nan"}) {
    const auto result = run_process(
        {rowrunner_binary(), "stats", "--database-url", db.url(), "--vacuum-blocker-alarm", wrong});
    EXPECT_EQ(result.exit_code, 2) << wrong;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  }
}

class watch_over_horizon : public horizon {
 protected:
  watch_over_horizon() {
    settings_.url = db.url();
    session_ = std::make_unique<pg::session>(io_.get_executor(), settings_);
    watch_ = std::make_unique<vacuum_watch>(*session_, log_, 1ms);
  }

  /// What is said after a look at that time.
  std::string look(vacuum_watch::clock::time_point now) {
    out_.str("");
    boost::asio::co_spawn(io_, watch_->poll(now), boost::asio::detached);
    io_.restart();
    io_.run();
    return out_.str();
  }

 private:
  boost::asio::io_context io_;
  std::ostringstream out_;
  logger log_{std::make_shared<spdlog::logger>(
                  "test", std::make_shared<spdlog::sinks::ostream_sink_st>(out_)),
              log_level::info, "w", log_format::json};
  pg::settings settings_;
  std::unique_ptr<pg::session> session_;
  std::unique_ptr<vacuum_watch> watch_;
};

TEST_F(watch_over_horizon, warns_once_again_after_a_while_and_says_when_it_is_over) {
  const auto start = vacuum_watch::clock::now();
  EXPECT_EQ(look(start), "");
  auto session = std::make_unique<forgotten>(db);
  const auto said = json::parse(look(start));
  EXPECT_EQ(said["level"], "warn");
  EXPECT_THAT(said["holder"], HasSubstr("session " + session->pid() + " (forgotten, user "));
  EXPECT_THAT(said["advice"], HasSubstr("pg_terminate_backend(" + session->pid() + ")"));
  EXPECT_EQ(said["statement"], "SELECT …");
  EXPECT_EQ(look(start + 1min), "");
  EXPECT_THAT(look(start + vacuum_watch::between_warnings), HasSubstr("session holds"));

  const auto before = session->pid();
  auto next = std::make_unique<forgotten>(db);
  session.reset();
  EXPECT_THAT(look(start + 11min), AllOf(HasSubstr(next->pid()), Not(HasSubstr(before))));
  next.reset();
  EXPECT_EQ(json::parse(look(start + 12min))["message"], "dead rows can be removed again");
  EXPECT_EQ(look(start + 13min), "");
}

TEST_F(horizon, a_worker_names_who_holds_it) {
  const forgotten session(db);
  child_process worker({rowrunner_binary(), "worker", "--database-url", db.url(), "--handler",
                        "letter=noop", "--vacuum-blocker-alarm", "0.001"});
  const auto line = worker.wait_for_output_line("dead rows cannot be removed");
  ASSERT_TRUE(line) << worker.err();
  EXPECT_THAT(*line, AllOf(HasSubstr("session " + session.pid()), Not(HasSubstr("hush"))));
  worker.kill(SIGTERM);
  EXPECT_EQ(worker.wait(), 0);
}

}  // namespace
}  // namespace rowrunner::testing
