// What the server tells about kinds, workers, jobs and the queue.
#include <thread>

#include "api/jobs_fixture.hpp"

namespace rowrunner::testing {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

json count(int n, bool capped = false) { return {{"n", n}, {"capped", capped}}; }

const json& find(const json& items, const char* member, const std::string& value) {
  for (const auto& each : items) {
    if (each.at(member) == value) return each;
  }
  static const json none;
  return none;
}

std::vector<std::string> codes(const json& causes) {
  std::vector<std::string> out;
  for (const auto& each : causes) out.push_back(each.at("code"));
  return out;
}

using api_reading = jobs_server;

TEST_F(api_reading, the_overview_counts_and_names_problems) {
  add_letter("a");
  db_.exec(
      "INSERT INTO letter_jobs (batch_id, recipient, run_at) VALUES ('b', 'later', now() + '1 "
      "day')");
  fail("letter", db_.value("SELECT id FROM letter_jobs WHERE recipient = 'a'"), "no stamp");
  db_.exec(
      "INSERT INTO letter_jobs (batch_id, recipient, run_at) VALUES ('b', 'old', now() - "
      "interval '1 hour')");
  db_.exec("DELETE FROM rowrunner.workers");
  const auto seen = get("/api/overview");
  EXPECT_EQ(seen.at("stale"), false);
  const auto& letter = find(seen.at("kinds"), "kind", "letter");
  EXPECT_EQ(letter.at("waiting"), count(1));
  EXPECT_EQ(letter.at("delayed"), count(1));
  EXPECT_EQ(letter.at("failed"), count(1));
  EXPECT_EQ(letter.at("running"), count(0));
  EXPECT_EQ(letter.at("held"), count(0));
  EXPECT_GT(letter.at("oldest_waiting_seconds").get<double>(), 3500);
  EXPECT_EQ(letter.at("per_minute").at("failed").size(), 60u);
  EXPECT_EQ(letter.at("per_minute").at("failed").back().get<int>() +
                letter.at("per_minute").at("failed")[58].get<int>(),
            1);
  EXPECT_THAT(codes(seen.at("problems")), ElementsAre("no_live_worker", "oldest_too_old"));
  EXPECT_EQ(seen.at("problems")[0].at("kind"), "letter");
}

TEST_F(api_reading, a_statement_that_takes_too_long_leaves_the_last_overview) {
  EXPECT_EQ(get("/api/overview").at("stale"), false);
  pqxx::connection other(db_.url());
  pqxx::work lock(other);
  lock.exec("LOCK TABLE rowrunner.kinds IN ACCESS EXCLUSIVE MODE");
  // For a second the copy counts as fresh.
  auto seen = get("/api/overview");
  while (seen.at("stale") == false) seen = get("/api/overview");
  EXPECT_EQ(seen.at("stale"), true);
  EXPECT_EQ(seen.at("problems")[0].at("code"), "database_slow");
}

TEST_F(api_reading, a_locked_table_hides_no_other_kind_from_the_overview) {
  add_letter("a");
  add_scan("s1");
  pqxx::connection other(db_.url());
  pqxx::work lock(other);
  lock.exec("LOCK TABLE scan_jobs IN ACCESS EXCLUSIVE MODE");
  const auto seen = get("/api/overview");
  EXPECT_EQ(seen.at("stale"), false);
  EXPECT_EQ(find(seen.at("kinds"), "kind", "letter").at("waiting"), count(1));
  EXPECT_EQ(find(seen.at("kinds"), "kind", "scan").at("waiting"), count(1));
  const auto& locked = find(seen.at("problems"), "code", "table_locked");
  EXPECT_EQ(locked.at("kind"), "scan");
  EXPECT_THAT(locked.at("message").get<std::string>(),
              HasSubstr("locked by session " + std::to_string(other.backendpid())));
}

TEST_F(api_reading, kinds_and_workers) {
  add_scan("s1");
  claim("scan");
  const auto kinds = get("/api/kinds").at("items");
  EXPECT_EQ(find(kinds, "kind", "scan").at("table"), "public.scan_jobs");
  EXPECT_EQ(find(kinds, "kind", "scan").at("state"), "running");
  EXPECT_EQ(find(kinds, "kind", "letter").at("state"), "no worker");
  const auto workers = get("/api/workers");
  EXPECT_EQ(workers.at("complete"), true);
  const auto& worker = workers.at("items").at(0);
  EXPECT_EQ(worker.at("worker"), "w");
  EXPECT_EQ(worker.at("kinds"), json::array({"scan"}));
  EXPECT_EQ(worker.at("alive"), true);
  EXPECT_EQ(worker.at("running"), 1);
}

TEST_F(api_reading, jobs_come_in_pages_with_a_count) {
  for (const char* to : {"a", "b", "c"}) add_letter(to);
  auto page = get("/api/jobs?kind=letter&status=queued&limit=2");
  EXPECT_EQ(page.at("items").size(), 2u);
  EXPECT_EQ(page.at("count"), count(3));
  EXPECT_EQ(page.at("complete"), true);
  const auto& first = page.at("items")[0];
  EXPECT_EQ(first.at("kind"), "letter");
  EXPECT_EQ(first.at("status"), "queued");
  EXPECT_FALSE(first.contains("recipient"));
  page = get("/api/jobs?kind=letter&status=queued&limit=2&after=" +
             page.at("next").get<std::string>());
  EXPECT_EQ(page.at("items").size(), 1u);
  EXPECT_TRUE(page.at("next").is_null());
  EXPECT_TRUE(get("/api/jobs").at("count").is_null());
  EXPECT_EQ(get("/api/jobs?kind=letter&status=succeeded").at("items").size(), 0u);
  for (const char* bad : {"status=running", "limit=0", "limit=201", "limit=x", "sort=id",
                          "status=failed&after=x", "status=queued&after=1"}) {
    EXPECT_EQ(status("GET", std::string("/api/jobs?kind=letter&") + bad), 400) << bad;
  }
  EXPECT_EQ(status("GET", "/api/jobs?kind=unknown"), 404);
}

TEST_F(api_reading, a_search_that_ends_before_the_table_says_so) {
  db_.exec(
      "INSERT INTO letter_jobs (batch_id, recipient, status) "
      "SELECT 'many', n::text, 'succeeded' FROM generate_series(1, 20010) n");
  const auto page = get("/api/jobs?kind=letter&status=cancelled");
  EXPECT_EQ(page.at("complete"), false);
  EXPECT_EQ(page.at("items").size(), 0u);
  EXPECT_EQ(
      get("/api/jobs?kind=letter&status=cancelled&after=" + page.at("next").get<std::string>())
          .at("complete"),
      true);
}

TEST_F(api_reading, counts_stop_at_ten_thousand) {
  db_.exec(
      "INSERT INTO letter_jobs (batch_id, recipient) "
      "SELECT 'many', n::text FROM generate_series(1, 10001) n");
  EXPECT_EQ(get("/api/jobs?kind=letter&status=queued").at("count"), count(10000, true));
  EXPECT_EQ(get("/api/queue?kind=letter").at("length"), count(10000, true));
}

TEST_F(api_reading, a_job_with_all_that_is_kept_about_it) {
  const auto id = add_scan("s1");
  const auto lease = claim("scan");
  db_.exec("SELECT rowrunner.step('scan', '" + id + "', " + lease +
           ", 'page 1', '{\"words\": 3}')");
  db_.exec("SELECT pg_sleep(0.01)");
  db_.exec("SELECT rowrunner.progress('scan', '" + id + "', " + lease + ", 1, 4, 'page 1')");
  const auto job = get("/api/jobs/scan/" + id);
  EXPECT_EQ(get("/api/jobs?kind=scan").at("items")[0].at("own").at("job_key"), "s1");
  EXPECT_EQ(job.at("status"), "processing");
  EXPECT_EQ(job.at("job").at("job_key"), "s1");
  EXPECT_EQ(job.at("own").at("job_key"), "s1");
  EXPECT_EQ(job.at("steps")[0].at("result"), json({{"words", 3}}));
  EXPECT_EQ(job.at("progress").at("total"), 4);
  EXPECT_TRUE(job.at("seconds_left").is_number());
  EXPECT_TRUE(job.at("waits_because").is_null());
  EXPECT_EQ(job.at("waits"), json::array());
  EXPECT_EQ(status("GET", "/api/jobs/letter/" + id), 404);
  EXPECT_EQ(status("GET", "/api/jobs/unknown/" + id), 404);
  EXPECT_EQ(status("GET", "/api/jobs/scan/nonsense"), 404);
  EXPECT_EQ(status("GET", "/api/jobs/scan/" + id + "?wait=31"), 400);
}

TEST_F(api_reading, why_a_job_does_not_run) {
  const auto id = add_scan("s1");
  const auto why = [&](const std::string& of) {
    return codes(get("/api/jobs/scan/" + of).at("waits"));
  };
  EXPECT_THAT(why(id), ElementsAre("no_worker"));
  db_.exec("UPDATE rowrunner.kinds SET paused = true");
  EXPECT_THAT(why(id), ElementsAre("paused", "no_worker"));
  db_.exec("UPDATE rowrunner.kinds SET paused = false");
  db_.exec("SELECT rowrunner.worker_seen('w', 'scan')");
  EXPECT_THAT(why(id), ElementsAre("position"));
  const auto position = get("/api/jobs/scan/" + id).at("waits")[0];
  EXPECT_EQ(position.at("before"), 0);
  EXPECT_EQ(position.at("capped"), false);
  db_.exec("UPDATE scan_jobs SET run_at = now() + '1 day'");
  EXPECT_THAT(why(id), ElementsAre("delayed"));
  db_.exec("UPDATE scan_jobs SET run_at = 'infinity'");
  EXPECT_THAT(why(id), ElementsAre("held_by_hand"));
  db_.exec("UPDATE scan_jobs SET run_at = now()");
  const auto child = add_child("child", id);
  EXPECT_THAT(get("/api/jobs/scan/" + child).at("waits")[0].at("message").get<std::string>(),
              HasSubstr("1 of 1 jobs"));
  EXPECT_EQ(get("/api/jobs/scan/" + child).at("waits")[0].at("left"), 1);
  EXPECT_EQ(get("/api/jobs/scan/" + child).at("waits")[0].at("total"), 1);
  EXPECT_THAT(why(child), ElementsAre("held"));
  db_.exec("DELETE FROM rowrunner.queue");
  EXPECT_THAT(why(id), ElementsAre("no_entry"));
  db_.exec("UPDATE scan_jobs SET run_at = now() WHERE id = '" + id + "'");
  pqxx::connection other(db_.url());
  {
    pqxx::work lock(other);
    lock.exec("SELECT FROM scan_jobs WHERE id = '" + id + "' FOR UPDATE");
    EXPECT_THAT(why(id), ElementsAre("row_locked"));
  }
  pqxx::work lock(other);
  lock.exec("LOCK TABLE scan_jobs IN SHARE MODE");
  EXPECT_THAT(why(id), ElementsAre("table_locked"));
}

TEST_F(api_reading, why_a_job_does_not_run_when_something_is_broken) {
  const auto waits = [&](const std::string& of) { return get("/api/jobs/scan/" + of).at("waits"); };
  const auto id = add_scan("s1");
  db_.exec("SELECT rowrunner.worker_seen('w', 'scan')");
  db_.exec(
      "INSERT INTO rowrunner.claim_errors (kind, job_id, error, retry_at)"
      " SELECT k.id, '" +
      id + "', 'too long', now() FROM rowrunner.kinds k WHERE kind = 'scan'");
  EXPECT_THAT(codes(waits(id)), ElementsAre("claim_error"));
  EXPECT_THAT(waits(id)[0].at("error").get<std::string>(), HasSubstr("too long"));
  db_.exec("DELETE FROM rowrunner.claim_errors");
  db_.exec(R"(UPDATE rowrunner.workers SET problems = '{"scan": "permission denied"}')");
  EXPECT_THAT(codes(waits(id)), ElementsAre("claims_fail"));
  EXPECT_EQ(waits(id)[0].at("error"), "permission denied");
  EXPECT_THAT(codes(get("/api/overview").at("problems")), Contains("claims_fail"));
  db_.exec("UPDATE rowrunner.workers SET problems = '{}'");
  const auto lease = claim("scan");
  EXPECT_THAT(waits(id), IsEmpty()) << "it runs";
  db_.exec("UPDATE rowrunner.leases SET expires_at = now() - interval '1 second'");
  EXPECT_THAT(codes(waits(id)), ElementsAre("lost_worker"));
  EXPECT_EQ(waits(id)[0].at("worker"), "w");
  EXPECT_THAT(waits(id)[0].at("message").get<std::string>(), HasSubstr("takes the job back"));
  db_.exec("DELETE FROM rowrunner.workers");
  EXPECT_THAT(waits(id)[0].at("message").get<std::string>(), HasSubstr("no worker has reported"));
  db_.exec("SELECT rowrunner.worker_seen('w', 'scan')");
  db_.exec("ALTER TABLE scan_jobs DISABLE TRIGGER rowrunner_insert");
  const auto silent = add_scan("s2");
  EXPECT_THAT(codes(waits(silent)), ElementsAre("no_triggers"));
  EXPECT_THAT(waits(silent)[0].at("message").get<std::string>(),
              HasSubstr("attach the table again"));
}

TEST_F(api_reading, why_a_job_is_claimed_late) {
  const auto id = add_scan("s1");
  db_.exec("SELECT rowrunner.worker_seen('w', 'scan')");
  api::server_limits at_once;
  at_once.vacuum_alarm = std::chrono::milliseconds(1);
  test_server server(at_once, api::all_routes(), db_.url());
  pqxx::connection other(db_.url());
  pqxx::work forgotten(other);
  forgotten.exec("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ");
  while (!forgotten.exec("SELECT clock_timestamp() - now() > interval '2 ms'")[0][0].as<bool>()) {
  }
  const auto of = [&](const std::string& path) {
    return json::parse(ask(server.port(), "GET", path, bearer(tokens_.at("viewer"))).body);
  };
  const auto waits = of("/api/jobs/scan/" + id).at("waits");
  EXPECT_THAT(codes(waits), ElementsAre("position", "vacuum_blocked"));
  EXPECT_THAT(waits[1].at("session").get<std::string>(),
              HasSubstr(std::to_string(other.backendpid())));
  EXPECT_THAT(codes(of("/api/overview").at("problems")), Contains("vacuum_blocked"));
}

TEST_F(api_reading, a_job_far_behind_in_the_queue_is_not_looked_for) {
  db_.exec("SELECT rowrunner.worker_seen('w', 'letter')");
  db_.exec(
      "INSERT INTO letter_jobs (batch_id, recipient) "
      "SELECT 'many', n::text FROM generate_series(1, 10001) n");
  const auto last = db_.value("SELECT job_id FROM rowrunner.queue ORDER BY seq DESC LIMIT 1");
  const auto position = get("/api/jobs/letter/" + last).at("waits")[0];
  EXPECT_EQ(position.at("code"), "position");
  EXPECT_EQ(position.at("before"), 10000);
  EXPECT_EQ(position.at("capped"), true);
  db_.exec("DELETE FROM rowrunner.queue WHERE job_id = '" + last + "'");
  EXPECT_EQ(get("/api/jobs/letter/" + last).at("waits")[0].at("code"), "no_entry");
}

TEST_F(api_reading, a_table_that_is_locked_as_a_whole_is_503) {
  const auto id = add_scan("s1");
  pqxx::connection other(db_.url());
  pqxx::work lock(other);
  lock.exec("LOCK TABLE scan_jobs IN ACCESS EXCLUSIVE MODE");
  const auto reply = call("GET", "/api/jobs/scan/" + id);
  EXPECT_EQ(reply.status, 503) << reply.body;
  EXPECT_EQ(json::parse(reply.body).at("error").at("retryable"), true);
  EXPECT_EQ(get("/api/kinds").at("items").size(), 2u);
}

TEST_F(api_reading, a_job_can_be_waited_for) {
  const auto id = add_scan("s1");
  const auto lease = claim("scan");
  std::thread end([&] {
    // As soon as the server watches it.
    while (server_.in_server([](api::services& with) { return with.live.watched(); }) == 0) {
      std::this_thread::yield();
    }
    pqxx::connection other(db_.url());
    pqxx::work tx(other);
    tx.exec("SELECT rowrunner.succeed('scan', '" + id + "', " + lease + ")");
    tx.commit();
  });
  EXPECT_EQ(get("/api/jobs/scan/" + id + "?wait=30").at("status"), "succeeded");
  end.join();
  EXPECT_EQ(get("/api/jobs/scan/" + id + "?wait=30").at("status"), "succeeded");
}

TEST_F(api_reading, a_user_sees_own_jobs_only) {
  const auto mine = add_scan("s1", "user"), others = add_scan("s2", "somebody");
  const auto letter = add_letter("a");
  EXPECT_EQ(status("GET", "/api/jobs/scan/" + mine, "user"), 200);
  EXPECT_EQ(status("GET", "/api/jobs/scan/" + others, "user"), 403);
  EXPECT_EQ(status("GET", "/api/jobs/letter/" + letter, "user"), 403);
  EXPECT_EQ(status("GET", "/api/jobs", "user"), 403);
  EXPECT_EQ(status("GET", "/api/overview", "user"), 403);
}

TEST_F(api_reading, the_queue_in_its_order) {
  const auto second = add_letter("a");
  const auto first = db_.value(
      "INSERT INTO letter_jobs (batch_id, recipient, priority) VALUES ('b', 'b', -1) RETURNING id");
  add_scan("s1");
  const auto queue = get("/api/queue?kind=letter");
  EXPECT_EQ(queue.at("items"), json::array({first, second}));
  EXPECT_EQ(queue.at("length"), count(2));
  EXPECT_TRUE(queue.at("oldest_waiting_seconds").is_number());
  EXPECT_EQ(get("/api/queue").at("length"), count(3));
  EXPECT_EQ(get("/api/queue?limit=1").at("items").size(), 1u);
  EXPECT_EQ(status("GET", "/api/queue?kind=unknown"), 404);
}

}  // namespace
}  // namespace rowrunner::testing
