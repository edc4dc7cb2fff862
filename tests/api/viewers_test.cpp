// What viewers cost: statements of the database, and memory of the server.
#include <thread>

#include "api/jobs_fixture.hpp"
#include "api/web_socket.hpp"
#include "support/live_bytes.hpp"
#include "support/own_server.hpp"

namespace rowrunner::testing {
namespace {

using namespace std::chrono_literals;

/// A PostgreSQL that counts statements, for the database of a fixture that comes behind it.
class counting_postgres {
 protected:
  counting_postgres() {
    postgres_.set("shared_preload_libraries", "pg_stat_statements");
    postgres_.crash();
    postgres_.start();
    setenv("ROWRUNNER_TEST_URL", postgres_.url().c_str(), 1);
  }
  ~counting_postgres() { unsetenv("ROWRUNNER_TEST_URL"); }

 private:
  own_server postgres_;
};

class api_statements : private counting_postgres, public jobs_server {
 protected:
  /// How often statements that name this table were run.
  int on_table(const std::string& name) { return calls("query LIKE '%" + name + "%'"); }
  /// All but those of the test.
  int of_server() {
    return calls(
        "query NOT IN ('BEGIN', 'COMMIT') AND query NOT LIKE '%pg_stat_statements%'"
        " AND query NOT LIKE 'UPDATE scan_jobs%'");
  }

 private:
  int calls(const std::string& which) {
    return std::stoi(db_.value("SELECT coalesce(sum(calls), 0) FROM pg_stat_statements WHERE " +
                               which + " AND query NOT LIKE '%pg_stat_statements%'"));
  }
};

// The one viewer of a letter counts the ticks: scans, of which there are 20 and 60 viewers, take as
// many statements.
TEST_F(api_statements, do_not_grow_with_viewers) {
  db_.exec("CREATE EXTENSION pg_stat_statements");
  const auto admin = bearer(tokens_.at("admin"));
  web_socket of_letter(server_.port(), "/ws/jobs/" + add_letter("a"), admin);
  EXPECT_EQ(of_letter.read().at("status"), "pending");
  for (int i = 0; i < 20; ++i) add_scan("s" + std::to_string(i));
  std::vector<std::unique_ptr<web_socket>> viewers;
  for (int i = 0; i < 60; ++i) {
    const auto target = "/ws/jobs/s" + std::to_string(i % 20);
    viewers.push_back(std::make_unique<web_socket>(server_.port(), target, admin));
    EXPECT_EQ(viewers.back()->read().at("status"), "pending");
  }
  db_.exec("SELECT pg_stat_statements_reset()");
  db_.exec("UPDATE scan_jobs SET updated_at = now() + interval '1 second'");
  for (const auto& each : viewers) EXPECT_EQ(each->read().at("status"), "pending");
  while (on_table("letter_jobs") < 5) std::this_thread::yield();
  const int scans = on_table("scan_jobs"), all = of_server();
  const int ticks = on_table("letter_jobs");
  EXPECT_LE(scans, ticks + 1);         // and the UPDATE
  EXPECT_LT(all - scans - ticks, 50);  // what the server asks now and then
}

class api_stalled : public jobs_server {
 protected:
  std::string target(const std::string& path, const std::string& more = "") {
    return "GET " + path + " HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " +
           tokens_.at("admin") + "\r\n" + more + "\r\n";
  }
  std::size_t viewers(test_server& of) {
    return of.in_server([](api::services& with) { return with.live.viewers(); });
  }
};

// Only the newest state is kept for a viewer, whatever it does not read; and it does not stay.
TEST_F(api_stalled, viewers_cost_bounded_memory_and_are_cut_off) {
  constexpr std::size_t large = 600'000;
  constexpr int each_way = 20, rounds = 10, changes = 200;
  api::server_limits limits;
  limits.write_time = limits.idle_time = 6s;
  test_server server(limits, api::all_routes(), db_.url());
  // In every state that is sent: the owner in a document's JSON, the message in an event.
  const auto id = add_scan("s1", std::string(large, 'u')), lease = claim("scan");
  std::vector<std::unique_ptr<raw_client>> stalled;
  for (int i = 0; i < each_way; ++i) {
    stalled.push_back(std::make_unique<raw_client>(server.port()));
    stalled.back()->send(target("/ws/jobs/s1",
                                "Connection: Upgrade\r\nUpgrade: websocket\r\n"
                                "Sec-WebSocket-Version: 13\r\n"
                                "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"));
    stalled.push_back(std::make_unique<raw_client>(server.port()));
    stalled.back()->send(target("/api/events?jobs=scan:" + id));
  }
  while (viewers(server) < stalled.size()) std::this_thread::yield();
  // One that takes what there is, so that the test knows what has been sent.
  const std::vector<api::job_key> jobs{{"scan", id}};
  auto takes = server.in_server([&](api::services& with) {
    return std::make_unique<api::job_watch::viewer>(with.live, jobs);
  });
  const auto newest_done = [&] {
    return server.in_server([&](api::services&) -> std::int64_t {
      const auto seen = takes->take();
      return seen.empty() || !seen[0].newest->progress ? 0 : seen[0].newest->progress->done;
    });
  };
  pqxx::connection worker(db_.url());
  pqxx::nontransaction each_commits(worker);
  memory_growth growth;
  for (int done = 1; done <= rounds * changes; ++done) {
    const bool last = done % changes == 0;
    each_commits.exec("SELECT rowrunner.progress('scan', '" + id + "', " + lease + ", " +
                      std::to_string(done) + ", 100000, repeat('m', " +
                      std::to_string(last ? large : 1) + "))");
    while (last && newest_done() < done) growth.look();
    growth.look();
  }
  // What the states of each round would take, if they were kept for each viewer.
  EXPECT_LT(growth.bytes(), rounds * stalled.size() * large / 2);
  while (viewers(server) > 1) std::this_thread::yield();
  server.in_server([&](api::services&) {
    takes.reset();
    return true;
  });
  for (const auto& each : stalled) EXPECT_TRUE(each->read_to_end(10s));
}

}  // namespace
}  // namespace rowrunner::testing
