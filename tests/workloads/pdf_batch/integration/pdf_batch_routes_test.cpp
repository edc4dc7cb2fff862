// PDF batches over HTTP, without a worker.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "api/server_fixture.hpp"
#include "api/test_server.hpp"
#include "apps/workloads.hpp"
#include "common/http/base64.hpp"
#include "support/http_stand_in.hpp"
#include "support/token_issuer.hpp"
#include "workloads/pdf_batch/support/pdf_database.hpp"
#include "workloads/pdf_batch/support/pdf_files.hpp"

namespace rowrunner::testing {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

namespace fs = std::filesystem;

constexpr const char* audience = "https://jobs.example/push";
constexpr const char* account = "pusher@project.iam.gserviceaccount.com";

const token_issuer& google() {
  static const token_issuer made;
  return made;
}

class pdf_batch_routes : public ::testing::Test {
 protected:
  pdf_batch_routes() {
    keys_.on("GET /certs", [](http_exchange& x) { x.answer(200, google().keys()); });
    for (const char* user : {"ann", "bob"}) tokens_[user] = db_.token(user, "user");
    for (const char* role : {"viewer", "operator"}) tokens_[role] = db_.token(role, role);
    start({{"PUBSUB_PUSH_AUDIENCE", audience},
           {"PUBSUB_PUSH_SERVICE_ACCOUNT", account},
           {"PUBSUB_PUSH_JWKS_URL", keys_.url("/certs")}});
  }
  ~pdf_batch_routes() override {
    server_.reset();
    fs::remove_all(folder_);
  }

  void start(std::map<std::string, std::string> settings) {
    settings.emplace("LOCAL_STORAGE_PATH", folder_.string());
    const environment env(std::move(settings));
    const auto routes = [&env](const boost::asio::any_io_executor& executor) {
      auto all = api::all_routes();
      for (auto& each : workload_routes(executor, env)) all.push_back(std::move(each));
      return all;
    };
    server_.reset();
    server_ = std::make_unique<test_server>(api::server_limits{}, routes, db_.url());
  }

  http_reply call(const std::string& method, const std::string& path, const std::string& who,
                  const std::string& body = {}) {
    auto fields = bearer(tokens_.at(who));
    if (!body.empty()) fields.emplace_back("Content-Type", "application/json");
    return ask(server_->port(), method, path, fields, body);
  }
  http_reply upload(const std::string& who, const std::string& job_id, const std::string& bytes) {
    return call("POST", "/api/pdf-batch/upload?job_id=" + job_id, who, bytes);
  }
  http_reply push(const std::string& body, const std::string& token) {
    return ask(server_->port(), "POST", "/api/pdf-batch/push",
               {{"Authorization", "Bearer " + token}, {"Content-Type", "application/json"}}, body);
  }
  static std::string token(const json& claims = token_issuer::claims(audience, account)) {
    return google().sign(claims);
  }
  static std::string envelope(const std::string& data) {
    return json{{"message", {{"data", http::base64(data)}, {"messageId", "7"}}},
                {"subscription", "projects/p/subscriptions/s"}}
        .dump();
  }
  static std::string message_of(const std::string& job_id, const std::string& path) {
    return json{{"job_id", job_id}, {"pdf_path", path}}.dump();
  }
  json status_of(const std::string& job_id, const std::string& who = "viewer") {
    const auto reply = call("GET", "/api/pdf-batch/" + job_id, who);
    EXPECT_EQ(reply.status, 200) << reply.body;
    return json::parse(reply.body, nullptr, false);
  }
  std::string jobs() {
    return db_.value("SELECT string_agg(job_id, ' ' ORDER BY job_id) FROM pdf_batch_jobs");
  }

  const fs::path folder_ = [] {
    std::string name = ::testing::TempDir() + "/pdf_routesXXXXXX";
    return fs::path(mkdtemp(name.data()));
  }();
  workloads_database db_;
  std::map<std::string, std::string> tokens_;
  http_stand_in keys_;
  std::unique_ptr<test_server> server_;
};

TEST_F(pdf_batch_routes, a_message_is_one_job_however_often_it_is_sent) {
  const auto first = call("POST", "/api/pdf-batch", "operator", message_of("test-1", "test.pdf"));
  EXPECT_EQ(first.status, 201) << first.body;
  EXPECT_EQ(json::parse(first.body),
            json({{"job_id", "test-1"}, {"pdf_path", "test.pdf"}, {"result", "created"}}));
  const auto again = call("POST", "/api/pdf-batch", "operator", message_of("test-1", "test.pdf"));
  EXPECT_EQ(again.status, 200);
  EXPECT_EQ(json::parse(again.body)["result"], "unchanged");
  const auto other = call("POST", "/api/pdf-batch", "operator", message_of("test-1", "b.pdf"));
  EXPECT_EQ(other.status, 409);
  EXPECT_EQ(jobs(), "test-1");
}

TEST_F(pdf_batch_routes, what_is_no_message_is_refused) {
  for (const char* bad :
       {"{", "[]", R"({"job_id":"a"})", R"({"job_id":"a/b","pdf_path":"x.pdf"})",
        R"({"job_id":"..","pdf_path":"x.pdf"})", R"({"job_id":"a","pdf_path":"../x.pdf"})",
        R"({"job_id":"a","pdf_path":"/etc/passwd"})",
        R"({"job_id":"a","pdf_path":"a/%2e%2e/x.pdf"})"}) {
    EXPECT_EQ(call("POST", "/api/pdf-batch", "operator", bad).status, 400) << bad;
  }
  EXPECT_EQ(call("POST", "/api/pdf-batch", "viewer", message_of("a", "x.pdf")).status, 403);
  EXPECT_EQ(jobs(), "");
}

TEST_F(pdf_batch_routes, an_upload_is_stored_and_analysed_by_its_owner_alone) {
  const auto pdf = make_pdf(2);
  const auto sent = upload("ann", "mine", pdf);
  ASSERT_EQ(sent.status, 201) << sent.body;
  EXPECT_EQ(
      json::parse(sent.body),
      json({{"job_id", "mine"}, {"pdf_path", "uploads/mine/document.pdf"}, {"bytes", pdf.size()}}));
  EXPECT_EQ(fs::file_size(folder_ / "uploads/mine/document.pdf"), pdf.size());
  // Neither replaced nor read by another user.
  EXPECT_EQ(upload("bob", "mine", pdf).status, 409);
  const auto message = message_of("mine", "uploads/mine/document.pdf");
  EXPECT_EQ(call("POST", "/api/pdf-batch", "bob", message).status, 403);
  EXPECT_EQ(
      call("POST", "/api/pdf-batch", "bob", message_of("x", "uploads/mine/document.pdf")).status,
      403);
  EXPECT_EQ(call("POST", "/api/pdf-batch", "ann", message).status, 201);
  EXPECT_EQ(call("POST", "/api/pdf-batch", "ann", message).status, 200);
  EXPECT_EQ(call("POST", "/api/pdf-batch", "operator", message).status, 409) << "another user's";
  // The file of a job stays as it is.
  EXPECT_EQ(upload("ann", "mine", pdf).status, 409);
  EXPECT_EQ(status_of("mine", "ann")["status"], "pending");
  EXPECT_EQ(call("GET", "/api/pdf-batch/mine", "bob").status, 403);
  EXPECT_EQ(db_.value("SELECT user_id FROM pdf_batch_jobs"), "ann");
}

TEST_F(pdf_batch_routes, an_upload_without_an_id_gets_one_and_bad_ones_are_refused) {
  const auto sent =
      ask(server_->port(), "POST", "/api/pdf-batch/upload", bearer(tokens_["ann"]), "%PDF-");
  ASSERT_EQ(sent.status, 201) << sent.body;
  EXPECT_EQ(json::parse(sent.body)["job_id"].get<std::string>().size(), 36u);
  EXPECT_EQ(upload("ann", "..", "%PDF-").status, 400);
  EXPECT_EQ(upload("ann", "a%2Fb", "%PDF-").status, 400);
  EXPECT_EQ(upload("ann", "empty", "").status, 400);
  EXPECT_EQ(upload("viewer", "a", "%PDF-").status, 403);
  EXPECT_EQ(ask(server_->port(), "POST", "/api/pdf-batch/upload", {}, "%PDF-").status, 401);
}

TEST_F(pdf_batch_routes, an_upload_that_is_no_pdf_is_refused) {
  const std::string far(1024, ' ');
  for (const std::string& bytes : {std::string("x"), std::string("%PDF"), far + "%PDF-1.7",
                                   std::string(200'000, 'x') + "%PDF-1.7"}) {
    const auto refused = upload("ann", "mine", bytes);
    EXPECT_EQ(refused.status, 400) << refused.body;
    EXPECT_THAT(refused.body, HasSubstr("must be a PDF file"));
    EXPECT_FALSE(fs::exists(folder_ / "uploads/mine/document.pdf"));
  }
  EXPECT_EQ(upload("ann", "mine", far.substr(5) + "%PDF-1.7").status, 201);
}

TEST_F(pdf_batch_routes, of_two_uploads_the_one_that_began_last_counts) {
  const std::string bytes = "%PDF-1.7 " + std::string(2000, 'a');
  raw_client first(server_->port());
  first.send(
      "POST /api/pdf-batch/upload?job_id=mine HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer " +
      tokens_["ann"] + "\r\nContent-Length: " + std::to_string(bytes.size()) + "\r\n\r\n" +
      bytes.substr(0, 1500));
  ASSERT_TRUE(db_.becomes("SELECT count(*) FROM pdf_batch_uploads", "1"));
  const auto second = make_pdf(2);
  ASSERT_EQ(upload("ann", "mine", second).status, 201);
  const auto message = message_of("mine", "uploads/mine/document.pdf");
  EXPECT_EQ(call("POST", "/api/pdf-batch", "ann", message).status, 201);
  first.send(bytes.substr(1500));
  const auto refused = first.read_reply();
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->status, 409) << refused->body;
  std::ifstream file(folder_ / "uploads/mine/document.pdf", std::ios::binary);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), second);
  EXPECT_EQ(db_.value("SELECT bytes FROM pdf_batch_uploads"), std::to_string(second.size()));
}

TEST_F(pdf_batch_routes, records_of_30_days_ago_are_removed) {
  db_.exec(
      "INSERT INTO pdf_batch_uploads (job_id, user_id, created_at)"
      " SELECT 'old-' || n, 'ann', now() - interval '30 days 1 hour' FROM generate_series(1, 150) n"
      " UNION ALL SELECT 'young', 'ann', now() - interval '29 days'");
  db_.exec(
      "INSERT INTO pdf_batch_rejected (source, reason, data, received_at)"
      " SELECT 'pull', 'bad', 'x', now() - make_interval(days => 28 + n)"
      " FROM generate_series(1, 3) n");
  upload("ann", "one", make_pdf(1));
  upload("ann", "two", make_pdf(1));
  EXPECT_EQ(db_.value("SELECT string_agg(job_id, ' ' ORDER BY job_id) FROM pdf_batch_uploads"),
            "one two young");
  push("{", token());
  EXPECT_EQ(db_.value("SELECT count(*) FROM pdf_batch_rejected"), "2")
      << "one of 29 days ago, and the new one";
  // The job is known by its own row then.
  const auto message = message_of("one", "uploads/one/document.pdf");
  EXPECT_EQ(call("POST", "/api/pdf-batch", "ann", message).status, 201);
  db_.exec("DELETE FROM pdf_batch_uploads");
  EXPECT_EQ(call("POST", "/api/pdf-batch", "ann", message).status, 200);
}

TEST_F(pdf_batch_routes, an_upload_that_breaks_off_leaves_nothing) {
  raw_client client(server_->port());
  client.send(
      "POST /api/pdf-batch/upload?job_id=cut HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer " +
      tokens_["ann"] + "\r\nContent-Length: 1000\r\n\r\n%PDF-1.7");
  client.half_close();
  const auto reply = client.read_reply();
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->status, 400) << reply->body;
  EXPECT_FALSE(fs::exists(folder_ / "uploads/cut/document.pdf"));
  EXPECT_EQ(
      call("POST", "/api/pdf-batch", "ann", message_of("cut", "uploads/cut/document.pdf")).status,
      403);
  EXPECT_EQ(upload("ann", "cut", "%PDF-1.7 whole").status, 201);
}

TEST_F(pdf_batch_routes, a_storage_that_cannot_be_written_is_a_503) {
  std::ofstream(folder_ / "uploads") << "in the way";
  const auto reply = upload("ann", "a", "%PDF-");
  EXPECT_EQ(reply.status, 503) << reply.body;
  EXPECT_THAT(reply.body, HasSubstr("the storage does not take the file"));
}

TEST_F(pdf_batch_routes, statuses_follow_the_row) {
  call("POST", "/api/pdf-batch", "operator", message_of("test-1", "test.pdf"));
  const auto waiting = status_of("test-1");
  EXPECT_EQ(waiting.size(), 6u);
  EXPECT_EQ(waiting["status"], "pending");
  const auto lease = db_.value("SELECT c->>'lease' FROM rowrunner.claim('pdf_batch', 'w') c");
  EXPECT_EQ(status_of("test-1")["message"], "Processing started...");
  const auto id = db_.value("SELECT id FROM pdf_batch_jobs");
  db_.exec("SELECT rowrunner.progress('pdf_batch', '" + id + "', " + lease +
           ", 5, 12, 'Page 5/12 analyzing...')");
  const auto running = status_of("test-1");
  EXPECT_EQ(running["status"], "processing");
  EXPECT_EQ(running["progress"], 41);
  EXPECT_EQ(running["message"], "Page 5/12 analyzing...");
  EXPECT_EQ(call("GET", "/api/pdf-batch/test-1/result", "viewer").status, 404);
  db_.exec("SELECT rowrunner.fail('pdf_batch', '" + id + "', " + lease +
           ", E'broken\\nTrace:', final => true)");
  const auto failed = status_of("test-1");
  EXPECT_EQ(failed["status"], "failed");
  EXPECT_EQ(failed["progress"], 41);
  EXPECT_EQ(failed["message"], "Error occurred");
  EXPECT_EQ(failed["error_msg"], "broken\nTrace:");
}

TEST_F(pdf_batch_routes, a_cancelled_job_is_failed) {
  call("POST", "/api/pdf-batch", "operator", message_of("test-1", "test.pdf"));
  const auto id = db_.value("SELECT id FROM pdf_batch_jobs");
  EXPECT_EQ(call("POST", "/api/jobs/pdf_batch/" + id + "/cancel", "operator", R"({"reason":"no"})")
                .status,
            200);
  const auto seen = status_of("test-1");
  EXPECT_EQ(seen["status"], "failed");
  EXPECT_THAT(seen["error_msg"].get<std::string>(), HasSubstr("no"));
}

TEST_F(pdf_batch_routes, a_status_is_gone_after_24_hours_and_the_result_is_not) {
  call("POST", "/api/pdf-batch", "operator", message_of("test-1", "test.pdf"));
  fs::create_directories(folder_ / "results/test-1");
  std::ofstream(folder_ / "results/test-1/result.json") << R"({"job_id":"test-1"})";
  db_.exec(
      "UPDATE pdf_batch_jobs SET status = 'succeeded', updated_at = now() - interval '23 hours'");
  EXPECT_EQ(status_of("test-1")["status"], "completed");
  db_.exec("UPDATE pdf_batch_jobs SET updated_at = now() - interval '24 hours 1 second'");
  EXPECT_EQ(call("GET", "/api/pdf-batch/test-1", "viewer").status, 404);
  const auto result = call("GET", "/api/pdf-batch/test-1/result", "viewer");
  EXPECT_EQ(result.status, 200);
  EXPECT_EQ(result.body, R"({"job_id":"test-1"})");
  EXPECT_EQ(result.header("content-type"), "application/json");
  EXPECT_EQ(result.header("content-disposition"), "attachment; filename=\"test-1.json\"");
  EXPECT_EQ(call("GET", "/api/pdf-batch/none", "viewer").status, 404);
  EXPECT_EQ(call("GET", "/api/pdf-batch/test-1/result", "ann").status, 403);
}

TEST_F(pdf_batch_routes, a_pushed_message_is_a_job) {
  const auto reply = push(envelope(message_of("test-1", "test.pdf")), token());
  EXPECT_EQ(reply.status, 204) << reply.body;
  EXPECT_EQ(push(envelope(message_of("test-1", "test.pdf")), token()).status, 204);
  EXPECT_EQ(jobs(), "test-1");
  EXPECT_EQ(keys_.calls().size(), 1u);
}

TEST_F(pdf_batch_routes, a_pushed_message_that_is_no_job_is_kept_and_answered_204) {
  for (const std::string& body :
       {std::string("{"), std::string("{}"), envelope("no json"), envelope(message_of("..", "x")),
        envelope(message_of("a", "../x"))}) {
    EXPECT_EQ(push(body, token()).status, 204) << body;
  }
  EXPECT_EQ(db_.value("SELECT count(*) FROM pdf_batch_rejected WHERE source = 'push'"), "5");
  EXPECT_EQ(db_.value("SELECT message_id FROM pdf_batch_rejected WHERE data = 'no json'"), "7");
  EXPECT_EQ(jobs(), "");
}

TEST_F(pdf_batch_routes, only_google_may_push) {
  const auto body = envelope(message_of("test-1", "test.pdf"));
  EXPECT_EQ(ask(server_->port(), "POST", "/api/pdf-batch/push", {}, body).status, 401);
  EXPECT_EQ(push(body, tokens_["operator"]).status, 403);
  const token_issuer stranger, unknown("key-9");
  const auto good = token_issuer::claims(audience, account);
  EXPECT_EQ(push(body, stranger.sign(good)).status, 403);
  EXPECT_EQ(push(body, unknown.sign(good)).status, 403);
  const std::vector<std::pair<const char*, json>> wrong{{"aud", "https://other.example"},
                                                        {"iss", "https://evil.example"},
                                                        {"email", "other@example.com"},
                                                        {"exp", 1'550'185'935},
                                                        {"iat", 9'000'000'000}};
  for (const auto& [name, value] : wrong) {
    auto claims = good;
    claims[name] = value;
    EXPECT_EQ(push(body, token(claims)).status, 403) << name;
  }
  EXPECT_EQ(jobs(), "");
}

TEST_F(pdf_batch_routes, push_is_closed_unless_it_is_set_up) {
  start({});
  EXPECT_EQ(push(envelope(message_of("a", "x.pdf")), token()).status, 404);
  EXPECT_THROW(start({{"PUBSUB_PUSH_AUDIENCE", audience}}), std::exception);
}

}  // namespace
}  // namespace rowrunner::testing
