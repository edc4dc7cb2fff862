// Jobs of documents without a worker: retries, the queue, admins, rights, the status.
#include "api/web_socket.hpp"
#include "support/notices.hpp"
#include "workloads/documents/support/document_server.hpp"

namespace rowrunner::testing {
namespace {

using ::testing::HasSubstr;

class document_jobs : public document_server {
 protected:
  /// As an upload makes it, without a file.
  std::string add(const std::string& user = "user", int pages = 10) {
    const auto document = db_.value(
        "INSERT INTO documents (document_id, title, user_id, total_pages, bytes, file_key)"
        " VALUES (rowrunner.new_id(), 'a.pdf', '" +
        user + "', " + std::to_string(pages) + ", 1, 'x') RETURNING document_id");
    return db_.value(
        "INSERT INTO document_jobs (job_id, document_id, user_id, total_pages) VALUES"
        " ('document_ocr-' || gen_random_uuid(), '" +
        document + "', '" + user + "', " + std::to_string(pages) + ") RETURNING job_id");
  }
  std::string document_of(const std::string& job) {
    return db_.value("SELECT document_id FROM document_jobs WHERE job_id = '" + job + "'");
  }
  void fail(const std::string& job) {
    const auto claimed = json::parse(db_.value("SELECT rowrunner.claim('document', 'tester')"));
    ASSERT_EQ(claimed.at("job_id"), job);
    db_.exec("SELECT rowrunner.fail('document', '" + claimed.at("id").get<std::string>() + "', " +
             claimed.at("lease").get<std::string>() + ", 'page 1: x', final => true)");
  }
};

TEST_F(document_jobs, are_retried_three_times) {
  const auto job = add();
  const auto path = "/documents/jobs/" + job + "/retry";
  EXPECT_EQ(refusal(call("POST", path)), "409 Only a failed or cancelled job can be retried");
  for (int count = 1; count <= 3; ++count) {
    fail(job);
    EXPECT_EQ(get("/documents/jobs/" + job).at("error"), "page 1: x");
    const auto reply = call("POST", path);
    EXPECT_EQ(reply.status, 200) << reply.body;
    const auto status = get("/documents/jobs/" + job);
    EXPECT_EQ(status.at("status"), "pending");
    EXPECT_EQ(status.at("retry_count"), count);
    EXPECT_TRUE(status.at("error").is_null());
  }
  fail(job);
  EXPECT_EQ(refusal(call("POST", path)), "409 Exceeded max retries (3)");
  const auto status = get("/documents/jobs/" + job);
  EXPECT_EQ(status.at("status"), "failed");
  EXPECT_EQ(status.at("error"), "Exceeded max retries (3)");
  EXPECT_EQ(status.at("retry_count"), 3);
  EXPECT_EQ(refusal(call("POST", "/documents/jobs/none/retry")), "404 Job not found");
  EXPECT_EQ(refusal(call("POST", "/documents/jobs/none/cancel")), "404 Job not found");
}

TEST_F(document_jobs, the_route_of_all_kinds_counts_as_a_retry) {
  const auto job = add();
  const auto id = db_.value("SELECT id FROM document_jobs WHERE job_id = '" + job + "'");
  const auto generic = "/api/jobs/document/" + id + "/retry";
  for (int count = 1; count <= 3; ++count) {
    fail(job);
    EXPECT_EQ(call("POST", generic).status, 200) << count;
    EXPECT_EQ(get("/documents/jobs/" + job).at("retry_count"), count);
  }
  fail(job);
  for (const char* role : {"user", "operator", "admin"}) {
    const auto again = call("POST", generic, role);
    EXPECT_EQ(again.status, 409) << role;
    EXPECT_THAT(again.body, ::testing::HasSubstr("refuses another retry")) << role;
  }
  EXPECT_EQ(get("/documents/jobs/" + job).at("status"), "failed");
  EXPECT_EQ(refusal(call("POST", "/documents/jobs/" + job + "/retry")),
            "409 Exceeded max retries (3)");
}

// Retrying those that failed goes on past a job that has no retries left, which does not count.
TEST_F(document_jobs, whose_retries_are_spent_do_not_hold_up_others) {
  const auto spent = add();
  fail(spent);
  db_.exec("UPDATE document_jobs SET retry_count = 3");
  const auto other = add();
  fail(other);
  EXPECT_EQ(db_.value("SELECT rowrunner.requeue_failed('document', 1)"), "1");
  EXPECT_EQ(get("/documents/jobs/" + other).at("status"), "pending");
  EXPECT_EQ(get("/documents/jobs/" + spent).at("status"), "failed");
}

TEST_F(document_jobs, an_update_by_hand_hears_that_the_retries_are_spent) {
  const auto job = add();
  fail(job);
  db_.exec("UPDATE document_jobs SET retry_count = 3");
  const notices heard(db_.connection());
  EXPECT_EQ(db_.value("SELECT rowrunner.requeue_failed('document', 1)"), "0");
  EXPECT_EQ(heard.all(), "");
  db_.exec("UPDATE document_jobs SET status = 'queued'");
  EXPECT_THAT(heard.all(), HasSubstr("document job " + job + " stays failed"));
  EXPECT_THAT(heard.all(), HasSubstr("POST /admin/documents/" + document_of(job) + "/reprocess"));
  EXPECT_EQ(get("/documents/jobs/" + job).at("status"), "failed");
  db_.exec("UPDATE document_jobs SET retry_count = 0");
  db_.exec("UPDATE document_jobs SET status = 'queued'");
  EXPECT_EQ(get("/documents/jobs/" + job).at("status"), "pending");
}

TEST_F(document_jobs, the_queue_has_them_in_order) {
  const auto first = add();
  const auto second = add();
  const auto queue = get("/documents/queue", "viewer");
  EXPECT_EQ(queue.at("length"), 2);
  EXPECT_EQ(queue.at("items"), json({first, second}));
  EXPECT_EQ(get("/documents/queue?limit=1", "viewer").at("items"), json({first}));
  EXPECT_EQ(call("GET", "/documents/queue", "user").status, 403);
}

TEST_F(document_jobs, admins_let_a_document_be_read_again) {
  const auto job = add();
  const auto path = "/admin/documents/" + document_of(job) + "/reprocess";
  const auto reply = call("POST", path, "admin");
  EXPECT_EQ(reply.status, 200) << reply.body;
  const auto body = json::parse(reply.body);
  EXPECT_EQ(body.size(), 2u);
  EXPECT_EQ(body.at("message"), "Document reprocessing started");
  const auto status = get("/documents/jobs/" + body.at("job_id").get<std::string>(), "admin");
  EXPECT_THAT(status.at("job_id").get<std::string>(),
              ::testing::MatchesRegex("document_reprocess-[0-9a-f-]{36}"));
  EXPECT_EQ(status.at("job_type"), "document_reprocess");
  EXPECT_EQ(status.at("user_id"), "admin");
  EXPECT_EQ(status.at("total_pages"), 10);
  EXPECT_EQ(call("POST", path, "operator").status, 403);
  EXPECT_EQ(call("POST", path, "user").status, 403);
  EXPECT_EQ(refusal(call("POST", "/admin/documents/none/reprocess", "admin")),
            "404 Document not found");
  EXPECT_EQ(refusal(call("POST", "/admin/documents/550e8400-e29b-41d4-a716-446655440000/reprocess",
                         "admin")),
            "404 Document not found");
}

// The page of the document shows its newest job to the owner, too.
TEST_F(document_jobs, that_an_admin_has_started_are_also_for_the_owner_of_the_document) {
  const auto document = document_of(add());
  const auto reply = call("POST", "/admin/documents/" + document + "/reprocess", "admin");
  ASSERT_EQ(reply.status, 200) << reply.body;
  const auto job = get("/documents/" + document).at("job_id").get<std::string>();
  EXPECT_EQ(job, json::parse(reply.body).at("job_id").get<std::string>());
  const auto path = "/documents/jobs/" + job;
  const auto row = "/api/jobs/document/" +
                   db_.value("SELECT id FROM document_jobs WHERE job_id = '" + job + "'");
  tokens_["former admin"] = db_.token("admin", "user");
  for (const char* role : {"admin", "former admin", "user"}) {
    EXPECT_EQ(get(path, role).at("user_id"), "admin") << role;
    EXPECT_EQ(get(row, role).at("status"), "queued") << role;
    web_socket socket(server_.port(), "/ws/jobs/" + job, bearer(tokens_.at(role)));
    EXPECT_EQ(socket.read().at("status"), "pending") << role;
  }
  for (const char* role : {"other", "viewer", "operator"}) {
    EXPECT_EQ(refusal(call("GET", path, role)), "403 Not authorized") << role;
  }
  EXPECT_EQ(call("GET", row, "other").status, 403);
  EXPECT_EQ(refusal(call("POST", path + "/cancel", "other")), "403 Not authorized");
  EXPECT_EQ(call("POST", path + "/cancel").status, 200);
  EXPECT_EQ(call("POST", path + "/retry").status, 200);
}

TEST_F(document_jobs, reprocessing_is_limited_to_20_an_hour) {
  const auto path = "/admin/documents/" + document_of(add()) + "/reprocess";
  for (int i = 0; i < 20; ++i) ASSERT_EQ(call("POST", path, "admin").status, 200) << i;
  const auto refused = call("POST", path, "admin");
  EXPECT_EQ(refused.status, 429);
  EXPECT_TRUE(json::parse(refused.body).contains("detail"));
  EXPECT_FALSE(refused.header("retry-after").empty());
}

TEST_F(document_jobs, a_removed_user_has_no_tokens_left) {
  EXPECT_EQ(call("GET", "/documents", "other").status, 200);
  const auto reply = call("DELETE", "/admin/users/other", "admin");
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(json::parse(reply.body), json({{"message", "User deleted successfully"}}));
  EXPECT_EQ(call("GET", "/documents", "other").status, 401);
  EXPECT_EQ(refusal(call("DELETE", "/admin/users/other", "admin")), "404 User not found");
  EXPECT_EQ(refusal(call("DELETE", "/admin/users/nobody", "admin")), "404 User not found");
  EXPECT_EQ(call("DELETE", "/admin/users/user", "operator").status, 403);
  EXPECT_EQ(refusal(call("DELETE", "/admin/users/admin", "admin")),
            "409 The last admin cannot be deleted");
  EXPECT_EQ(call("GET", "/documents", "admin").status, 200);
  // Each call counts, also one that removed nobody.
  for (int i = 4; i < 10; ++i) call("DELETE", "/admin/users/nobody", "admin");
  EXPECT_EQ(call("DELETE", "/admin/users/nobody", "admin").status, 429);
}

TEST_F(document_jobs, the_end_is_estimated_by_the_time_of_the_pages_of_this_run) {
  const auto job = add();
  const auto claimed = json::parse(db_.value("SELECT rowrunner.claim('document', 'tester')"));
  const auto id = claimed.at("id").get<std::string>();
  auto status = get("/documents/jobs/" + job);
  EXPECT_EQ(status.at("status"), "processing");
  EXPECT_EQ(status.at("current_page"), 1);
  EXPECT_TRUE(status.at("estimated_completion").is_null());
  // Four pages in forty seconds: six more take sixty.
  db_.exec(
      "UPDATE document_jobs SET locked_at = '2026-01-01 10:00:00Z', updated_at = '2026-01-01 "
      "10:00:00Z'");
  db_.exec(
      "INSERT INTO rowrunner.progress (kind, job_id, done, total, message, updated_at)"
      " SELECT k.id, '" +
      id +
      "', 4, 10, '', '2026-01-01 10:00:40Z' FROM rowrunner.kinds k"
      " WHERE k.kind = 'document'");
  status = get("/documents/jobs/" + job);
  EXPECT_EQ(status.at("processed_pages"), 4);
  EXPECT_EQ(status.at("current_page"), 5);
  EXPECT_EQ(status.at("progress"), 40);
  EXPECT_EQ(status.at("updated_at"), "2026-01-01T10:00:40.000000Z");
  EXPECT_EQ(status.at("estimated_completion"), "2026-01-01T10:01:40.000000Z");
  // Two of the four were read by an earlier run: the other two took forty seconds.
  db_.exec(
      "INSERT INTO rowrunner.steps (kind, job_id, step, result, created_at)"
      " SELECT k.id, '" +
      id +
      "', 'page-000' || n, '{}', '2026-01-01 09:00:00Z'"
      " FROM rowrunner.kinds k, generate_series(1, 2) n WHERE k.kind = 'document'");
  status = get("/documents/jobs/" + job);
  EXPECT_EQ(status.at("estimated_completion"), "2026-01-01T10:02:40.000000Z");
  // Notes of failures and the count of pages are no pages.
  db_.exec(
      "INSERT INTO rowrunner.steps (kind, job_id, step, result, created_at)"
      " SELECT k.id, '" +
      id +
      "', name, '{}', '2026-01-01 09:00:00Z' FROM rowrunner.kinds k,"
      " unnest(ARRAY['pages', 'page-0003-failed-1-1767261600000']) name"
      " WHERE k.kind = 'document'");
  status = get("/documents/jobs/" + job);
  EXPECT_EQ(status.at("estimated_completion"), "2026-01-01T10:02:40.000000Z");
  // A run that has read nothing yet says nothing about the time that it will take.
  db_.exec("UPDATE rowrunner.progress SET done = 2");
  status = get("/documents/jobs/" + job);
  EXPECT_TRUE(status.at("estimated_completion").is_null()) << status;
}

TEST_F(document_jobs, statuses_are_kept_for_24_hours) {
  EXPECT_EQ(db_.value("SELECT retention || ' ' || failed_retention FROM rowrunner.kinds"
                      " WHERE kind = 'document'"),
            "24:00:00 24:00:00");
}

}  // namespace
}  // namespace rowrunner::testing
