// `rowrunner worker --health-port`.
#include "health/worker_health.hpp"

#include <csignal>

#include "api/server_fixture.hpp"
#include "support/letters.hpp"

namespace rowrunner::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

TEST(worker_health_test, a_loop_that_stands_still_is_a_problem) {
  loop_pulse pulse;
  const auto now = loop_pulse::clock::now();
  EXPECT_TRUE(pulse.problem(now));
  pulse.beat(now);
  EXPECT_FALSE(pulse.problem(now + 10s));
  EXPECT_THAT(pulse.problem(now + 11s).value(), HasSubstr("does a handler block it"));
}

TEST(worker_health_test, is_served_beside_the_jobs) {
  api_database db;
  db.exec(std::string(letters_schema));
  child_process worker(
      {rowrunner_binary(), "worker", "--health-port", "0", "--handler", "letter=noop"},
      {{"DATABASE_URL", db.url()}});
  const auto line = worker.wait_for_output_line("\"health\"");
  ASSERT_TRUE(line) << worker.err();
  const int port = nlohmann::json::parse(*line).at("port");
  EXPECT_EQ(ask(port, "GET", "/livez").status, 200);
  // Before that it would end by itself because of what becomes of the schema below.
  ASSERT_TRUE(worker.wait_for_output_line("worker started")) << worker.err();
  int status = 0;
  while ((status = ask(port, "GET", "/readyz").status) == 503) {
  }
  EXPECT_EQ(status, 200);
  EXPECT_EQ(ask(port, "GET", "/api/session").status, 404);
  db.exec("UPDATE rowrunner.schema_info SET oldest_binary = 1000");
  while ((status = ask(port, "GET", "/readyz").status) == 200) {
  }
  EXPECT_EQ(status, 503);
  EXPECT_EQ(ask(port, "GET", "/livez").status, 200);
  worker.kill(SIGTERM);
  EXPECT_EQ(worker.wait(), 0);
}

TEST(worker_health_test, a_port_that_is_taken_is_named) {
  api_database db;
  db.exec(std::string(letters_schema));
  const served other(db.url());
  EXPECT_THAT(command(db).error(1, {"worker", "--health-port", std::to_string(other.port()),
                                    "--handler", "letter=noop"}),
              HasSubstr("cannot be listened on"));
  EXPECT_THAT(command(db).error(2, {"worker", "--health-port", "70000"}),
              HasSubstr("--health-port must be from 0 to"));
}

}  // namespace
}  // namespace rowrunner::testing
