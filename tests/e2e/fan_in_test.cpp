// One job that waits for many, while their workers are killed and stopped and the server crashes.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

#include "support/jobs_database.hpp"
#include "support/own_server.hpp"
#include "support/paths.hpp"
#include "support/process.hpp"

namespace rowrunner::testing {
namespace {

using ::testing::IsEmpty;

/// So many parents; 10,000 take a minute or two.
int parents_wanted() {
  const char* wanted = std::getenv("ROWRUNNER_TEST_FAN_IN");
  return wanted == nullptr ? 600 : std::stoi(wanted);
}

class fan_in : public ::testing::Test {
 protected:
  fan_in() {
    // The database is made on the server that this variable names.
    setenv("ROWRUNNER_TEST_URL", server.url().c_str(), 1);
    db = std::make_unique<jobs_database>();
    db->exec("SELECT rowrunner.attach('test_jobs', kind => 'test', joins => true)");
    std::string name = (std::filesystem::temp_directory_path() / "gatesXXXXXX").string();
    gates = mkdtemp(name.data());
  }
  ~fan_in() override {
    workers.clear();
    db.reset();
    std::filesystem::remove_all(gates);
  }

  void start_worker() {
    const auto name = "w" + std::to_string(workers.size());
    workers[name] = std::make_unique<child_process>(
        std::vector<std::string>{test_worker_binary(), db->url(), "--name", name, "--lease-ms",
                                 "1000", "--concurrency", "20"},
        process_environment{{"TEST_GATES", gates}});
  }
  /// The worker that runs this job.
  child_process& worker_of(const std::string& job) {
    return *workers.at(db->value("SELECT locked_by FROM test_jobs WHERE name = '" + job + "'"));
  }
  void open_gates(const std::string& prefix, int count) {
    for (int i = 1; i <= count; ++i) std::ofstream(gates + "/" + prefix + std::to_string(i));
  }

  /// More parents of the child, in one transaction: jobs that are quick, and jobs that wait at a
  /// gate. They have attempts enough for all that happens to their workers.
  void add_parents(const std::string& prefix, int quick, int gated) {
    db->exec("INSERT INTO test_jobs (name, action, max_attempts) SELECT '" + prefix +
             "' || i, CASE WHEN i <= " + std::to_string(gated) +
             " THEN 'gate' ELSE 'ok' END, 50 FROM generate_series(1, " +
             std::to_string(gated + quick) +
             ") i;"
             "INSERT INTO test_jobs (name) VALUES ('child') ON CONFLICT DO NOTHING;"
             "SELECT rowrunner.run_after('test', c.id, 'test', ARRAY(SELECT id FROM test_jobs"
             " WHERE name LIKE '" +
             prefix + "%')) FROM test_jobs c WHERE c.name = 'child'");
  }
  bool comes_to(const std::string& prefix, const std::string& status, int jobs) {
    return db->becomes("SELECT count(*) >= " + std::to_string(jobs) +
                           " FROM test_jobs WHERE name LIKE '" + prefix + "%' AND status = '" +
                           status + "'",
                       "t");
  }

  /// So many of a share of the parents have ended, and some are running, when this happens.
  template <typename Fault>
  void during_a_share(const std::string& prefix, int ended, Fault fault) {
    add_parents(prefix, share, gates_of_a_share);
    ASSERT_TRUE(comes_to(prefix, "succeeded", ended));
    ASSERT_TRUE(comes_to(prefix, "processing", gates_of_a_share));
    fault();
    open_gates(prefix, gates_of_a_share);
    ASSERT_TRUE(comes_to(prefix, "succeeded", share + gates_of_a_share));
    EXPECT_EQ(db->status("child"), "queued") << "before its last parent has ended";
  }

  static constexpr int gates_of_a_share = 8;
  const int share = parents_wanted() / 3;
  own_server server;
  std::unique_ptr<jobs_database> db;
  std::string gates;
  std::map<std::string, std::unique_ptr<child_process>> workers;
};

TEST_F(fan_in, fires_once_after_the_last_end_under_kills_stops_and_a_crash_of_the_server) {
  for (int i = 0; i < 3; ++i) start_worker();
  add_parents("last", 0, 1);
  ASSERT_TRUE(comes_to("last", "processing", 1));

  during_a_share("kill", share / 2, [&] {
    worker_of("kill1").kill(SIGKILL);
    start_worker();
  });
  during_a_share("crash", share / 2, [&] {
    server.crash();
    server.start();
    db->come_back();
  });
  std::vector<child_process*> stopped;
  // A worker that is stopped inside of a transaction keeps its locks until the server ends that, so
  // no end is under way.
  during_a_share("stop", share, [&] {
    // Past its lease: others take what it holds.
    stopped.push_back(&worker_of("stop1"));
    stopped.back()->kill(SIGSTOP);
    start_worker();
  });

  ASSERT_TRUE(comes_to("last", "processing", 1));
  stopped.push_back(&worker_of("last1"));
  stopped.back()->kill(SIGSTOP);
  open_gates("last", 1);
  ASSERT_TRUE(db->reaches("child", "succeeded"));
  for (auto* one : stopped) one->kill(SIGCONT);
  for (auto& [name, one] : workers) one->kill(SIGTERM);
  for (auto& [name, one] : workers) EXPECT_TRUE(one->wait()) << name;

  EXPECT_EQ(db->value("SELECT string_agg(before || ' ' || after, ', ' ORDER BY n) FROM history"
                      " WHERE name = 'child'"),
            "queued processing, processing succeeded");
  const auto waited = db->value(
      "SELECT extract(epoch FROM"
      " (SELECT at FROM history WHERE name = 'child' AND after = 'processing') -"
      " (SELECT max(at) FROM history WHERE name <> 'child' AND after = 'succeeded'))");
  EXPECT_GT(std::stod(waited), 0) << "it ran before its last parent had ended";
  EXPECT_LE(std::stod(waited), 2) << "server and a worker were up";
  EXPECT_EQ(db->value("SELECT count(*) FROM test_jobs WHERE status <> 'succeeded'"), "0");
  EXPECT_EQ(db->value("SELECT (SELECT count(*) FROM rowrunner.waits) || ' ' ||"
                      " (SELECT count(*) FROM rowrunner.edges)"),
            "0 0");
  EXPECT_THAT(db->violations(), IsEmpty());
}

}  // namespace
}  // namespace rowrunner::testing
