// The primary is lost, or turns read-only, and a streaming standby takes its place. Workers and
// enqueuers have a connection string with both servers and find the one that writes by themselves.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/ip/tcp.hpp>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "support/jobs_database.hpp"
#include "support/own_server.hpp"
#include "support/paths.hpp"
#include "support/persistent_enqueuer.hpp"
#include "support/process.hpp"

namespace rowrunner::testing {
namespace {

using ::testing::IsEmpty;
using namespace std::chrono_literals;

class failover : public ::testing::Test {
 protected:
  failover() {
    // The fixture asks for the server by this variable, so that its database is made there.
    setenv("ROWRUNNER_TEST_URL", primary.url().c_str(), 1);
    db = std::make_unique<jobs_database>();
    standby = std::make_unique<own_server>(own_server::standby_of{primary});
    std::string name = (std::filesystem::temp_directory_path() / "gatesXXXXXX").string();
    gates = mkdtemp(name.data());
    db->reach_by(url());
  }
  ~failover() override {
    workers.clear();
    db.reset();
    std::filesystem::remove_all(gates);
  }

  /// Both servers, or others by their ports; clients want the one that writes.
  std::string url(const std::string& first_port, const std::string& second_port) const {
    const auto& base = primary.url();
    return base.substr(0, base.find('@') + 1) + "127.0.0.1:" + first_port +
           ",127.0.0.1:" + second_port + "/" + db->name() + "?target_session_attrs=read-write";
  }
  std::string url() const { return url(primary.port(), standby->port()); }

  void start_worker(const std::string& database, const std::vector<std::string>& flags) {
    std::vector<std::string> command{test_worker_binary(), database};
    command.insert(command.end(), flags.begin(), flags.end());
    workers.push_back(
        std::make_unique<child_process>(command, process_environment{{"TEST_GATES", gates}}));
  }
  void open_gate(const std::string& name) { std::ofstream(gates + "/" + name) << "open"; }

  std::string on_standby(const std::string& sql) const {
    auto there = standby->url();
    there.replace(there.rfind('/') + 1, std::string::npos, db->name());
    pqxx::connection connection(there);
    pqxx::nontransaction tx(connection);
    const auto rows = tx.exec(sql);
    return rows.empty() || rows[0][0].is_null() ? "" : rows[0][0].as<std::string>();
  }
  /// Until the standby has all that the primary has.
  bool followed() {
    return db->becomes(
        "SELECT count(*) FROM pg_stat_replication WHERE replay_lsn >= pg_current_wal_insert_lsn()",
        "1");
  }

  void expect_that_all_workers_end_well() {
    for (auto& one : workers) one->kill(SIGTERM);
    for (auto& one : workers) EXPECT_EQ(one->wait(), 0) << one->err();
  }

  own_server primary;
  std::unique_ptr<jobs_database> db;
  std::unique_ptr<own_server> standby;
  std::vector<std::unique_ptr<child_process>> workers;
  std::string gates;
};

/// The ends that a worker was told had counted: "job lease" of each.
std::set<std::string> acknowledged_ends(const child_process& worker) {
  std::set<std::string> ends;
  std::istringstream lines(worker.err());
  for (std::string line; std::getline(lines, line);) {
    const auto event = nlohmann::json::parse(line, nullptr, false);
    if (event.is_object() && event.value("message", "") == "succeeded") {
      ends.insert(event["job"].get<std::string>() + " " + event["lease"].dump());
    }
  }
  return ends;
}

TEST_F(failover, with_a_synchronous_standby_nothing_acknowledged_is_lost) {
  primary.set("synchronous_standby_names", "*");
  ASSERT_TRUE(db->becomes("SELECT sync_state FROM pg_stat_replication", "sync"));
  // For one of them the standby is the first host of the list.
  const std::vector<std::string> flags{"--lease-ms", "3000", "--verbose"};
  start_worker(url(), flags);
  start_worker(url(standby->port(), primary.port()), flags);
  start_worker(url(), flags);
  persistent_enqueuer one(url(), "one"), other(url(standby->port(), primary.port()), "other");
  ASSERT_TRUE(one.acknowledged_more_than(200));
  ASSERT_TRUE(other.acknowledged_more_than(200));
  ASSERT_TRUE(db->becomes("SELECT count(*) > 200 FROM test_jobs WHERE status = 'succeeded'", "t"));

  primary.crash();
  standby->promote();
  db->come_back();
  std::size_t ends_before = 0;
  for (const auto& worker : workers) ends_before += acknowledged_ends(*worker).size();
  EXPECT_GT(ends_before, 200U);

  ASSERT_TRUE(one.acknowledged_more_than(one.acknowledged().size() + 200));
  ASSERT_TRUE(other.acknowledged_more_than(other.acknowledged().size() + 200));
  one.stop();
  other.stop();
  EXPECT_GT(one.connections() + other.connections(), 2);
  EXPECT_TRUE(db->becomes("SELECT count(*) FROM test_jobs WHERE status <> 'succeeded'", "0"));
  expect_that_all_workers_end_well();

  std::set<std::string> present, ended;
  for (const auto& row : db->rows("SELECT name FROM test_jobs")) {
    present.insert(row[0].as<std::string>());
  }
  for (const auto* each : {&one, &other}) {
    for (const auto& name : each->acknowledged()) EXPECT_TRUE(present.contains(name)) << name;
  }
  const auto ends =
      db->rows("SELECT job_id || ' ' || new_lease FROM history WHERE after = 'succeeded'");
  for (const auto& row : ends) ended.insert(row[0].as<std::string>());
  std::map<std::string, std::size_t> holder;
  for (std::size_t i = 0; i < workers.size(); ++i) {
    for (const auto& end : acknowledged_ends(*workers[i])) {
      EXPECT_TRUE(ended.contains(end)) << end;
      const auto lease = end.substr(end.find(' '));
      EXPECT_EQ(holder.emplace(lease, i).first->second, i) << "lease used twice: " << end;
    }
  }
  EXPECT_THAT(db->violations(), IsEmpty());
}

// What the standby has not received is gone, and the engine goes on with what it has. A job whose
// end was lost while its batch went on is named by no other lease: it must run again nevertheless.
TEST_F(failover, with_an_asynchronous_standby_only_what_it_never_received_is_lost) {
  start_worker(url(), {"--lease-ms", "6000", "--concurrency", "4"});
  db->add("kept");
  ASSERT_TRUE(db->reaches("kept", "succeeded"));
  db->exec("INSERT INTO test_jobs (name, action) VALUES ('quick', 'gate'), ('slow', 'gate')");
  ASSERT_TRUE(db->becomes("SELECT count(*) FROM test_jobs WHERE status = 'processing'", "2"));
  ASSERT_EQ(db->value("SELECT count(DISTINCT lease) FROM test_jobs WHERE name <> 'kept'"), "1");
  ASSERT_TRUE(followed());
  standby->set("primary_conninfo", "");
  ASSERT_TRUE(db->becomes("SELECT count(*) FROM pg_stat_replication", "0"));
  db->add("lost");
  open_gate("quick");
  ASSERT_TRUE(db->reaches("quick", "succeeded"));
  ASSERT_TRUE(db->reaches("lost", "succeeded"));

  primary.crash();
  standby->promote();
  db->come_back();
  EXPECT_EQ(db->status("kept"), "succeeded");
  EXPECT_EQ(db->status("lost"), "");
  EXPECT_EQ(db->status("quick"), "processing");
  open_gate("slow");
  EXPECT_TRUE(db->reaches("slow", "succeeded"));
  EXPECT_EQ(db->value("SELECT attempts FROM test_jobs WHERE name = 'slow'"), "0");
  EXPECT_TRUE(db->reaches("quick", "succeeded"));
  db->add("after");
  EXPECT_TRUE(db->reaches("after", "succeeded"));
  EXPECT_TRUE(db->becomes("SELECT count(*) FROM rowrunner.leases", "0"));
  expect_that_all_workers_end_well();
  EXPECT_THAT(db->violations(), IsEmpty());
}

// A book of pages, each a step with an effect, and jobs that run after it and after others.
TEST_F(failover, joins_and_steps_with_effects_go_on) {
  constexpr int pages = 300;
  db->exec("SELECT rowrunner.attach('test_jobs', kind => 'test', joins => true)");
  db->watch("rowrunner.steps");
  primary.set("synchronous_standby_names", "*");
  ASSERT_TRUE(db->becomes("SELECT sync_state FROM pg_stat_replication", "sync"));
  start_worker(url(), {"--lease-ms", "3000"});
  start_worker(url(standby->port(), primary.port()), {"--lease-ms", "3000"});
  db->add("book", "pages", 2, pages);
  db->exec(
      "INSERT INTO test_jobs (name, action) SELECT 'part' || i, 'gate' FROM generate_series(1, 5) "
      "i;"
      "INSERT INTO test_jobs (name) VALUES ('total'), ('after');"
      "SELECT rowrunner.run_after('test', (SELECT id FROM test_jobs WHERE name = 'total'), 'test',"
      " ARRAY(SELECT id FROM test_jobs WHERE name NOT IN ('total', 'after')));"
      "SELECT rowrunner.run_after('test', (SELECT id FROM test_jobs WHERE name = 'after'), 'test',"
      " ARRAY(SELECT id FROM test_jobs WHERE name = 'total'))");
  open_gate("part1");
  ASSERT_TRUE(db->reaches("part1", "succeeded"));
  ASSERT_TRUE(db->becomes("SELECT count(*) > 20 FROM rowrunner.steps", "t"));

  primary.crash();
  standby->promote();
  db->come_back();
  EXPECT_EQ(db->status("part1"), "succeeded");
  EXPECT_EQ(db->value("SELECT string_agg(status || ' ' || run_at, ', ') FROM test_jobs"
                      " WHERE name IN ('total', 'after')"),
            "queued infinity, queued infinity");
  for (int part = 2; part <= 5; ++part) open_gate("part" + std::to_string(part));
  EXPECT_TRUE(db->reaches("after", "succeeded"));
  expect_that_all_workers_end_well();
  EXPECT_EQ(db->value("SELECT string_agg(name, ' ' ORDER BY n) FROM (SELECT name, n FROM history"
                      " WHERE after = 'succeeded' ORDER BY n DESC LIMIT 2) last"),
            "total after");
  EXPECT_EQ(db->value("SELECT count(*) FROM history WHERE name IN ('total', 'after')"
                      " AND after = 'succeeded'"),
            "2");
  EXPECT_EQ(db->value("SELECT count(*) || ' ' || count(DISTINCT step) FROM step_effects"),
            std::to_string(pages) + " " + std::to_string(pages));
  EXPECT_EQ(db->value("SELECT count(*) FROM rowrunner.steps"), std::to_string(pages));
  EXPECT_EQ(db->value("SELECT done FROM rowrunner.progress"), std::to_string(pages));
  EXPECT_EQ(db->value("SELECT attempts FROM test_jobs WHERE name = 'book'"), "0");
  EXPECT_EQ(db->value("SELECT (SELECT count(*) FROM rowrunner.waits) + (SELECT count(*) FROM"
                      " rowrunner.edges)"),
            "0");
  EXPECT_THAT(db->violations(), IsEmpty());
}

// Connections stay open here, so that only the server's answers say that it writes no more.
TEST_F(failover, a_server_that_turned_read_only_is_left_for_the_one_that_writes) {
  start_worker(url(), {"--lease-ms", "30000"});
  db->add("running", "gate");
  ASSERT_TRUE(db->reaches("running", "processing"));
  primary.set("default_transaction_read_only", "on");
  ASSERT_TRUE(followed());
  open_gate("running");
  ASSERT_TRUE(workers.front()->wait_for_output_line("jobs could not be ended yet"));
  standby->promote();
  db->come_back();
  ASSERT_EQ(db->value("SHOW port"), standby->port());
  EXPECT_TRUE(db->reaches("running", "succeeded"));
  EXPECT_EQ(db->value("SELECT attempts FROM test_jobs"), "0");
  db->add("next");
  EXPECT_TRUE(db->becomes("SELECT status FROM test_jobs WHERE name = 'next'", "succeeded", 15s));
  expect_that_all_workers_end_well();
  EXPECT_THAT(db->violations(), IsEmpty());
}

TEST_F(failover, commands_pass_over_a_host_that_is_read_only_mute_or_dead) {
  boost::asio::io_context io;
  const boost::asio::ip::tcp::acceptor mute(io, {boost::asio::ip::address_v4::loopback(), 0});
  const auto mute_port = std::to_string(mute.local_endpoint().port());
  const auto status = [](const std::string& database) {
    const auto done = run_process({rowrunner_binary(), "stats"}, {{"DATABASE_URL", database}});
    return done.exit_code == 0 ? "fine" : done.err;
  };
  EXPECT_EQ(status(url(standby->port(), primary.port())), "fine");
  EXPECT_EQ(status(url(mute_port, primary.port()) + "&connect_timeout=2"), "fine");
  primary.crash();
  EXPECT_THAT(status(url()), ::testing::HasSubstr("read-only"));
  standby->promote();
  EXPECT_EQ(status(url()), "fine");
}

}  // namespace
}  // namespace rowrunner::testing
