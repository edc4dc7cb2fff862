// The server crashes, comes back, cuts connections.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <map>
#include <sstream>

#include "queries/engine.hpp"
#include "support/jobs_database.hpp"
#include "support/own_server.hpp"
#include "support/paths.hpp"
#include "support/pooler.hpp"
#include "support/process.hpp"
#include "support/worker_thread.hpp"

namespace rowrunner::testing {
namespace {

using ::testing::IsEmpty;
using namespace std::chrono_literals;

TEST(server, a_crash_under_load_loses_nothing_and_reuses_no_lease) {
  own_server server;
  // The fixture asks for the server by this variable, so that its databases are made there.
  setenv("ROWRUNNER_TEST_URL", server.url().c_str(), 1);
  auto db = std::make_unique<jobs_database>();
  const std::string url = db->url();
  db->exec(
      "INSERT INTO test_jobs (name, ms, max_attempts)"
      " SELECT 'a' || g, 20, 100 FROM generate_series(1, 3000) g");
  std::vector<std::unique_ptr<child_process>> workers;
  for (int i = 0; i < 3; ++i) {
    workers.push_back(std::make_unique<child_process>(
        std::vector<std::string>{test_worker_binary(), url, "--lease-ms", "3000", "--verbose"}));
  }
  long before = 0;
  for (int round = 0; round < 3; ++round) {
    ASSERT_TRUE(db->becomes("SELECT count(*) > " + std::to_string(before + 200) +
                                " FROM test_jobs WHERE status = 'succeeded'",
                            "t"));
    before = std::stol(db->value("SELECT count(*) FROM test_jobs WHERE status = 'succeeded'"));
    server.crash();
    server.start();
    db->come_back();
    // What was acknowledged before the crash is still there.
    EXPECT_GE(std::stol(db->value("SELECT count(*) FROM test_jobs WHERE status = 'succeeded'")),
              before);
  }
  EXPECT_TRUE(
      db->becomes("SELECT count(*) FROM test_jobs WHERE status = 'succeeded'", "3000", 120s));
  for (auto& one : workers) one->kill(SIGTERM);
  for (auto& one : workers) EXPECT_EQ(one->wait(), 0);
  // The history of a claim that the crash took back is gone with it, so the workers' own logs are
  // asked: a lease number that was given out twice would stand in two of them.
  std::map<std::string, std::size_t> holder;
  for (std::size_t i = 0; i < workers.size(); ++i) {
    std::istringstream lines(workers[i]->err());
    for (std::string line; std::getline(lines, line);) {
      const auto at = line.find("\"lease\":");
      if (at == std::string::npos) continue;
      const auto lease = line.substr(at, line.find(',', at) - at);
      EXPECT_EQ(holder.emplace(lease, i).first->second, i) << line;
    }
  }
  EXPECT_GT(holder.size(), 100U);
  EXPECT_THAT(db->violations(), IsEmpty());
  db.reset();
}

// A COMMIT that waits for a synchronous standby has happened; when its backend is ended meanwhile,
// the answer is lost for certain. The worker must find out that the end is its own.
TEST(server, an_end_whose_answer_was_lost_counts_once) {
  own_server server;
  setenv("ROWRUNNER_TEST_URL", server.url().c_str(), 1);
  // Only the ends of jobs, which insist on being durable, wait for the standby.
  jobs_database db;
  server.set("synchronous_commit", "off");
  server.set("synchronous_standby_names", "missing");
  server.crash();
  server.start();
  db.come_back();
  db.add("a");
  worker_thread one(db);
  const std::string waiting =
      "FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND application_name = 'rowrunner ends'";
  ASSERT_TRUE(db.becomes("SELECT count(*) " + waiting, "1"));
  db.exec("SELECT pg_terminate_backend(pid) " + waiting);
  ASSERT_TRUE(db.reaches("a", "succeeded"));
  const auto counts = one.stop();
  EXPECT_EQ(counts.succeeded, 1);
  EXPECT_EQ(counts.refused, 0);
  EXPECT_EQ(db.value("SELECT attempts FROM test_jobs"), "0");
  EXPECT_THAT(db.violations(), IsEmpty());
}

/// A standby that has told the server which rows its queries still need, through this slot or,
/// without one, for as long as it is connected.
class reporting_standby {
 public:
  reporting_standby(const std::string& url, const std::string& slot, std::uint32_t xmin)
      : connection_(PQconnectdb((url + "?replication=true").c_str()), PQfinish) {
    run("START_REPLICATION " + (slot.empty() ? "" : "SLOT " + slot + " ") + "PHYSICAL 0/1000000");
    // The message "hot standby feedback" of the replication protocol: time, xmin, catalog_xmin.
    std::string message(25, '\0');
    message[0] = 'h';
    for (int byte = 0; byte < 4; ++byte) {
      message[static_cast<std::size_t>(9 + byte)] = static_cast<char>(xmin >> (24 - 8 * byte));
    }
    EXPECT_EQ(PQputCopyData(connection_.get(), message.data(), 25), 1);
    EXPECT_EQ(PQflush(connection_.get()), 0);
  }

 private:
  void run(const std::string& command) {
    auto* answer = PQexec(connection_.get(), command.c_str());
    EXPECT_EQ(PQresultStatus(answer), PGRES_COPY_BOTH) << PQerrorMessage(connection_.get());
    PQclear(answer);
  }

  std::unique_ptr<PGconn, decltype(&PQfinish)> connection_;
};

TEST(server, whatever_keeps_dead_rows_is_named) {
  own_server server;
  setenv("ROWRUNNER_TEST_URL", server.url().c_str(), 1);
  jobs_database db;
  server.set("max_prepared_transactions", "2");
  server.crash();
  server.start();
  db.come_back();
  const auto holders =
      "SELECT string_agg(what || ' ' || coalesce(state, '-') || ' ' || "
      "(since IS NOT NULL), '; ' ORDER BY what) FROM (" +
      std::string(queries::vacuum_blockers.text) +
      ") h (what, name, application, username, state, since)";
  EXPECT_EQ(db.value(holders), "");
  db.exec("BEGIN; CREATE TABLE left_behind (); PREPARE TRANSACTION 'left'");
  EXPECT_EQ(db.value(holders), "prepared prepared true");
  db.exec("SELECT pg_create_physical_replication_slot('kept')");
  const auto xmin = static_cast<std::uint32_t>(
      std::stoul(db.value("SELECT pg_snapshot_xmin(pg_current_snapshot())")));
  {
    const reporting_standby by_slot(server.url(), "kept", xmin);
    EXPECT_TRUE(db.becomes(holders, "prepared prepared true; slot active false"));
    const reporting_standby standby(server.url(), "", xmin);
    EXPECT_TRUE(
        db.becomes(holders, "prepared prepared true; slot active false; standby active false"));
  }
  EXPECT_TRUE(db.becomes(holders, "prepared prepared true; slot inactive false"));
  pqxx::connection last(db.url());
  pqxx::nontransaction(last).exec("ROLLBACK PREPARED 'left'");
  db.exec("SELECT pg_drop_replication_slot('kept')");
  EXPECT_EQ(db.value(holders), "");
}

TEST(server, connections_that_are_cut_come_back) {
  jobs_database db;
  const auto place = endpoint_for_workers(db.url());
  std::vector<std::string> command{test_worker_binary(), place.url};
  if (place.pooled) command.emplace_back("--pooled");
  child_process one(command);
  for (int round = 0; round < 5; ++round) {
    const std::string name = "a" + std::to_string(round);
    db.add(name, "ok", 100);
    ASSERT_TRUE(db.becomes(
        "SELECT status IN ('processing', 'succeeded') FROM test_jobs WHERE name = '" + name + "'",
        "t"));
    db.exec(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
        " WHERE application_name LIKE 'rowrunner %' AND datname = current_database()");
    EXPECT_TRUE(db.reaches(name, "succeeded"));
  }
  EXPECT_EQ(db.value("SELECT sum(attempts) FROM test_jobs"), "0");
  EXPECT_THAT(db.violations(), IsEmpty());
}

TEST(server, late_commits_and_urgent_jobs_start_within_half_a_second_beside_a_busy_worker) {
  jobs_database db;
  // Enqueued before all others and committed five seconds later, while the worker has moved far
  // beyond its place.
  auto late = std::make_unique<pqxx::connection>(db.url());
  pqxx::work tx(*late);
  tx.exec("INSERT INTO test_jobs (name) VALUES ('late')");
  db.exec("INSERT INTO test_jobs (name, ms) SELECT 'a' || g, 10 FROM generate_series(1, 30000) g");
  child_process one({test_worker_binary(), db.url(), "--concurrency", "5"});
  ASSERT_TRUE(db.becomes("SELECT count(*) > 50 FROM test_jobs WHERE status = 'succeeded'", "t"));
  tx.exec("SELECT pg_sleep(5)");
  const auto committed = tx.exec("SELECT clock_timestamp()")[0][0].as<std::string>();
  tx.commit();
  ASSERT_TRUE(
      db.becomes("SELECT count(*) FROM history WHERE name = 'late' AND after = 'processing'", "1"));
  EXPECT_EQ(db.value("SELECT at - '" + committed +
                     "' < '500 ms' FROM history"
                     " WHERE name = 'late' AND after = 'processing'"),
            "t");

  db.exec("INSERT INTO test_jobs (name, priority) VALUES ('urgent', -5)");
  ASSERT_TRUE(db.becomes(
      "SELECT count(*) FROM history WHERE name = 'urgent' AND after = 'processing'", "1"));
  EXPECT_EQ(
      db.value("SELECT h.at - j.created_at < '500 ms' FROM history h JOIN test_jobs j USING (name)"
               " WHERE name = 'urgent' AND after = 'processing'"),
      "t");
  // The queue was never empty meanwhile: the worker was busy.
  EXPECT_EQ(db.value("SELECT count(*) > 100 FROM test_jobs WHERE status = 'queued'"), "t");
}

TEST(server, a_row_that_another_session_holds_does_not_stop_the_queue) {
  jobs_database db;
  db.add("held");
  for (int i = 0; i < 50; ++i) db.add("a" + std::to_string(i));
  pqxx::connection other(db.url());
  pqxx::work tx(other);
  tx.exec("SELECT FROM test_jobs WHERE name = 'held' FOR UPDATE");
  child_process one({test_worker_binary(), db.url()});
  EXPECT_TRUE(db.becomes("SELECT count(*) FROM test_jobs WHERE status = 'succeeded'", "50"));
  EXPECT_EQ(db.status("held"), "queued");
  tx.commit();
  EXPECT_TRUE(db.reaches("held", "succeeded"));
  EXPECT_THAT(db.violations(), IsEmpty());
}

}  // namespace
}  // namespace rowrunner::testing
