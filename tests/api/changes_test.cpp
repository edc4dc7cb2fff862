// What operators, and users with their own jobs, change.
#include "api/jobs_fixture.hpp"

namespace rowrunner::testing {
namespace {

using ::testing::HasSubstr;

using api_changes = jobs_server;

TEST_F(api_changes, retry_queues_a_failed_job_and_no_other) {
  const auto id = add_scan("s1");
  EXPECT_EQ(status("POST", "/api/jobs/scan/" + id + "/retry"), 409);
  fail("scan", id, "broken");
  EXPECT_EQ(status("POST", "/api/jobs/letter/" + id + "/retry"), 404);
  const auto reply = call("POST", "/api/jobs/scan/" + id + "/retry", "operator");
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(json::parse(reply.body),
            json({{"kind", "scan"}, {"id", id}, {"status", "queued"}, {"result", "queued"}}));
  EXPECT_EQ(db_.value("SELECT status FROM scan_jobs"), "queued");
  EXPECT_EQ(status("POST", "/api/jobs/scan/01900000-0000-7000-8000-000000000000/retry"), 404);
}

TEST_F(api_changes, cancel_tells_the_status_that_the_table_has) {
  const auto reply =
      json::parse(call("POST", "/api/jobs/letter/" + add_letter("a") + "/cancel").body);
  EXPECT_EQ(reply.at("result"), "cancelled");
  EXPECT_EQ(reply.at("status"), "failed");
}

TEST_F(api_changes, cancel_with_a_reason_and_cascade) {
  const auto parent = add_scan("p"), running = add_scan("r");
  add_child("c", parent);
  const auto reply = call("POST", "/api/jobs/scan/" + parent + "/cancel", "operator",
                          R"({"reason": "not needed", "cascade": true})");
  EXPECT_EQ(json::parse(reply.body).at("result"), "cancelled") << reply.body;
  EXPECT_EQ(db_.value("SELECT count(*) FROM scan_jobs WHERE status = 'cancelled'"), "2");
  EXPECT_EQ(db_.value("SELECT last_error FROM scan_jobs WHERE id = '" + parent + "'"),
            "cancelled: not needed");
  claim("scan");
  EXPECT_EQ(
      json::parse(call("POST", "/api/jobs/scan/" + running + "/cancel").body),
      json({{"kind", "scan"}, {"id", running}, {"status", "processing"}, {"result", "requested"}}));
  for (const char* bad : {"[]", "{", R"({"reason": 1})", R"({"cascade": 1})", R"({"why": "x"})",
                          R"({"reason": "\u0000"})"}) {
    EXPECT_EQ(status("POST", "/api/jobs/scan/" + running + "/cancel", "admin", bad), 400) << bad;
  }
}

TEST_F(api_changes, run_now_ends_a_delay) {
  const auto id = add_scan("s1");
  db_.exec("UPDATE scan_jobs SET run_at = now() + '1 day', attempts = 1");
  EXPECT_EQ(status("POST", "/api/jobs/scan/" + id + "/run-now"), 200);
  EXPECT_EQ(db_.value("SELECT run_at <= now() AND attempts = 1 FROM scan_jobs"), "t");
  db_.exec("UPDATE scan_jobs SET run_at = 'infinity'");
  EXPECT_EQ(status("POST", "/api/jobs/scan/" + id + "/run-now"), 200);
  EXPECT_NE(claim("scan"), "");
  EXPECT_EQ(status("POST", "/api/jobs/scan/" + id + "/run-now"), 409);
  const auto child = add_child("c", id);
  const auto held = call("POST", "/api/jobs/scan/" + child + "/run-now");
  EXPECT_EQ(held.status, 409);
  EXPECT_THAT(held.body, HasSubstr("waits for others"));
  EXPECT_EQ(status("POST", "/api/jobs/letter/" + id + "/run-now"), 404);
  EXPECT_EQ(status("POST", "/api/jobs/unknown/" + id + "/run-now"), 404);
}

TEST_F(api_changes, a_job_of_two_owners_is_for_both) {
  db_.exec(
      "ALTER TABLE scan_jobs ADD document_owner text, ADD asked_by text;"
      "SELECT rowrunner.attach('scan_jobs', kind => 'scan', co_owner => 'asked_by')");
  const auto named = add_scan("s1", "somebody"), shared = add_scan("s2", "somebody");
  db_.exec("UPDATE scan_jobs SET document_owner = 'user' WHERE job_key = 's1'");
  db_.exec("UPDATE scan_jobs SET asked_by = 'user' WHERE job_key = 's2'");
  EXPECT_EQ(status("GET", "/documents/jobs/s1", "user"), 403);
  EXPECT_EQ(status("POST", "/api/jobs/scan/" + named + "/cancel", "user"), 403);
  EXPECT_EQ(status("GET", "/documents/jobs/s2", "user"), 200);
  EXPECT_EQ(status("POST", "/api/jobs/scan/" + shared + "/cancel", "user"), 200);
}

TEST_F(api_changes, pause_and_resume) {
  EXPECT_EQ(json::parse(call("POST", "/api/kinds/scan/pause", "operator").body),
            json({{"kind", "scan"}, {"paused", true}}));
  EXPECT_EQ(db_.value("SELECT paused FROM rowrunner.kinds WHERE kind = 'scan'"), "t");
  EXPECT_EQ(status("POST", "/api/kinds/scan/resume"), 200);
  EXPECT_EQ(db_.value("SELECT paused FROM rowrunner.kinds WHERE kind = 'scan'"), "f");
  EXPECT_EQ(status("POST", "/api/kinds/unknown/pause"), 404);
}

TEST_F(api_changes, users_change_their_own_jobs_and_viewers_none) {
  const auto mine = add_scan("s1", "user"), others = add_scan("s2", "somebody");
  for (const char* what : {"/retry", "/cancel", "/run-now"}) {
    EXPECT_EQ(status("POST", "/api/jobs/scan/" + others + what, "user"), 403) << what;
    EXPECT_EQ(status("POST", "/api/jobs/scan/" + mine + what, "viewer"), 403) << what;
  }
  // What waits for it may be another's.
  add_child("c", mine);
  EXPECT_EQ(status("POST", "/api/jobs/scan/" + mine + "/cancel", "user", R"({"cascade": true})"),
            403);
  EXPECT_EQ(db_.value("SELECT count(*) FROM scan_jobs WHERE status <> 'queued'"), "0");
  EXPECT_EQ(status("POST", "/api/jobs/scan/" + mine + "/cancel", "user", R"({"cascade": false})"),
            200);
  EXPECT_EQ(status("POST", "/api/kinds/scan/pause", "user"), 403);
  EXPECT_EQ(db_.value("SELECT status FROM scan_jobs WHERE job_key = 's2'"), "queued");
}

// The server logs in as a role that has no more than it is told to be granted.
TEST_F(api_changes, the_roles_of_the_server_are_enough) {
  const auto url = db_.url_of_new_role();
  db_.exec("GRANT rowrunner_server, rowrunner_app TO " + db_.new_role());
  const auto id = add_scan("s1");
  fail("scan", id, "broken");
  const served server(url);
  const auto as_admin = bearer(tokens_.at("admin"));
  const auto ask_for = [&](const char* method, const std::string& path, const std::string& body) {
    auto fields = as_admin;
    if (!body.empty()) fields.emplace_back("Content-Type", "application/json");
    return ask(server.port(), method, path, fields, body).status;
  };
  for (const char* path : {"/api/overview", "/api/kinds", "/api/workers", "/api/queue", "/api/jobs",
                           "/api/failed", "/api/operations", "/documents/jobs/s1"}) {
    EXPECT_EQ(ask_for("GET", path, ""), 200) << path;
  }
  EXPECT_EQ(ask_for("GET", "/api/jobs/scan/" + id, ""), 200);
  EXPECT_EQ(ask_for("POST", "/api/jobs/scan/" + id + "/retry", ""), 200);
  EXPECT_EQ(ask_for("POST", "/api/jobs/scan/" + id + "/run-now", ""), 200);
  EXPECT_EQ(ask_for("POST", "/api/jobs/scan/" + id + "/cancel", ""), 200);
  EXPECT_EQ(ask_for("POST", "/api/kinds/scan/pause", ""), 200);
  EXPECT_EQ(ask_for("POST", "/api/failed/retry", R"({"kind": "scan"})"), 202);
}

}  // namespace
}  // namespace rowrunner::testing
