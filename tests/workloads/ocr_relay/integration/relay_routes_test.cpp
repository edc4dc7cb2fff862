// The document's routes: POST /jobs and GET /jobs/{job_id}.

#include <gmock/gmock.h>

#include <future>

#include "api/server_fixture.hpp"
#include "api/test_server.hpp"
#include "support/inner_addresses.hpp"
#include "workloads/ocr_relay/routes.hpp"
#include "workloads/ocr_relay/support/relay_request.hpp"

namespace rowrunner::testing {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;

class relay_routes : public ::testing::Test {
 protected:
  static std::vector<api::route> routes() {
    static boost::asio::io_context io;
    const std::map<std::string, std::string> settings{{"RELAY_TOKEN", "relay-s3cret"}};
    const environment env(settings);
    auto all = ocr_relay::make_routes(io.get_executor(), env);
    all.push_back(ocr_relay::health_route());
    return all;
  }

  http_reply post(const std::string& body, const std::string& token = "relay-s3cret") {
    auto fields = bearer(token);
    fields.emplace_back("Content-Type", "application/json");
    return ask(server_.port(), "POST", "/jobs", fields, body);
  }
  http_reply get(const std::string& path, const std::string& token = "relay-s3cret") {
    return ask(server_.port(), "GET", path, bearer(token));
  }
  json submitted(const json& body = full_request()) {
    const auto reply = post(body.dump());
    EXPECT_EQ(reply.status, 200) << reply.body;
    return json::parse(reply.body);
  }
  json shown(const std::string& job_id) {
    const auto reply = get("/jobs/" + job_id);
    EXPECT_EQ(reply.status, 200) << reply.body;
    return json::parse(reply.body);
  }

  workloads_database db_;
  test_server server_{{}, routes(), db_.url()};
};

TEST_F(relay_routes, a_job_is_taken_with_its_summary) {
  const auto taken = submitted();
  EXPECT_THAT(taken.at("job_id"), MatchesRegex("job_[0-9]{8}T[0-9]{6}_[0-9a-z]+"));
  EXPECT_EQ(taken.at("correlation_id"), "abc123");
  EXPECT_EQ(taken.at("status"), "RECEIVED");
  EXPECT_EQ(taken.size(), 3u);
  EXPECT_EQ(db_.value("SELECT count(*) FROM rowrunner.waits w JOIN ocr_relay_summaries s"
                      " ON s.id = w.child_id WHERE w.when_failed = 'run'"),
            "1");
}

TEST_F(relay_routes, a_job_is_shown_with_every_field_of_the_document) {
  const auto id = submitted().at("job_id").get<std::string>();
  const auto job = shown(id);
  const auto in_order = nlohmann::ordered_json::parse(get("/jobs/" + id).body);
  std::vector<std::string> names;
  for (const auto& [name, value] : in_order.items()) names.push_back(name);
  EXPECT_EQ(names, (std::vector<std::string>{
                       "jobId", "orderId", "status", "fileId", "prompt", "pattern", "masters",
                       "webhookUrl", "webhookToken", "createdAt", "updatedAt", "totalPages",
                       "processedPages", "skippedPages", "lastError", "pages"}));
  EXPECT_EQ(job.at("status"), "ENQUEUED");
  EXPECT_EQ(job.at("webhookToken"), "******");
  EXPECT_EQ(job.at("masters").at("shipCsv"), "id,name\n1,大阪");
  EXPECT_THAT(job.at("createdAt"),
              MatchesRegex("[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}"));
  EXPECT_EQ(job.at("totalPages"), nullptr);
  EXPECT_EQ(job.at("processedPages"), 0);
  EXPECT_EQ(job.at("lastError"), nullptr);
  EXPECT_EQ(job.at("pages"), json::array());
  EXPECT_THAT(get("/jobs/" + id).body, Not(HasSubstr("t0ken")));
}

TEST_F(relay_routes, pages_are_shown_and_counted_from_their_rows) {
  const auto id = submitted().at("job_id").get<std::string>();
  db_.exec(
      "UPDATE ocr_relay_jobs SET total_pages = 4;"
      "INSERT INTO ocr_relay_pages (job, page_index, status, raw_text, meta_json, delivery)"
      " SELECT id, 1, 'DONE', 'one', '{\"model\": \"m\"}',"
      "   enqueue_webhook('https://a.example/', '{}') FROM ocr_relay_jobs;"
      "INSERT INTO ocr_relay_pages (job, page_index, status, error)"
      " SELECT id, 2, 'ERROR', 'too dark' FROM ocr_relay_jobs;"
      "INSERT INTO ocr_relay_pages (job, page_index, status, is_non_order_page, raw_text)"
      " SELECT id, 3, 'DONE', true, 'blank' FROM ocr_relay_jobs;"
      "UPDATE webhook_deliveries SET delivered_at = now()");
  const auto job = shown(id);
  EXPECT_EQ(job.at("status"), "PROCESSING");
  EXPECT_EQ(job.at("totalPages"), 4);
  EXPECT_EQ(job.at("processedPages"), 1);
  EXPECT_EQ(job.at("skippedPages"), 2);
  EXPECT_EQ(job.at("pages"), json::parse(R"([
    {"pageIndex": 1, "status": "DONE", "isNonOrderPage": false, "rawText": "one", "error": null,
     "meta": {"model": "m"}},
    {"pageIndex": 2, "status": "ERROR", "isNonOrderPage": false, "rawText": null,
     "error": "too dark", "meta": null},
    {"pageIndex": 3, "status": "DONE", "isNonOrderPage": true, "rawText": "blank", "error": null,
     "meta": null}])"));
}

TEST_F(relay_routes, a_job_that_was_cancelled_is_an_error) {
  const auto id = submitted().at("job_id").get<std::string>();
  db_.exec("SELECT rowrunner.cancel('ocr_relay', id, 'wrong file') FROM ocr_relay_jobs");
  EXPECT_EQ(shown(id).at("status"), "ERROR");
  EXPECT_EQ(shown(id).at("lastError"), "cancelled: wrong file");
}

TEST_F(relay_routes, a_job_whose_summary_could_not_be_sent_is_an_error) {
  const auto id = submitted().at("job_id").get<std::string>();
  db_.exec("UPDATE ocr_relay_jobs SET status = 'succeeded'");
  EXPECT_EQ(shown(id).at("status"), "PROCESSING");
  db_.exec("UPDATE ocr_relay_summaries SET status = 'failed', last_error = 'no database'");
  EXPECT_EQ(shown(id).at("status"), "ERROR");
  EXPECT_EQ(shown(id).at("lastError"), "the summary was not sent: no database");
}

TEST_F(relay_routes, twenty_megabytes_of_masters_get_the_error_of_the_document) {
  const std::string csv(std::size_t{20} << 20, 'x');
  const auto reply = post(request_with("masters.itemCsv", csv).dump());
  EXPECT_EQ(reply.status, 400);
  EXPECT_EQ(json::parse(reply.body).at("error"),
            json({{"code", "INVALID_ARGUMENT"},
                  {"message", "masters.itemCsv is longer than 8388608 bytes"}}));
  auto both = request_with("masters.itemCsv", csv);
  both["masters"]["shipCsv"] = csv;
  const auto larger = post(both.dump());
  EXPECT_EQ(larger.status, 413);
  EXPECT_EQ(json::parse(larger.body).at("error").at("code"), "INVALID_ARGUMENT");
  EXPECT_EQ(db_.value("SELECT count(*) FROM ocr_relay_jobs"), "0");
}

TEST_F(relay_routes, the_same_key_is_the_same_job_as_it_was) {
  auto body = full_request();
  const auto first = submitted(body);
  body["orderId"] = "other";
  const auto again = submitted(body);
  EXPECT_EQ(again, first) << "correlation_id too";
  EXPECT_EQ(db_.value("SELECT count(*) FROM ocr_relay_jobs"), "1");
  body.erase("idempotencyKey");
  EXPECT_NE(submitted(body), first);
  EXPECT_EQ(submitted(body).at("correlation_id"), "other");
  EXPECT_EQ(db_.value("SELECT count(*) FROM ocr_relay_jobs"), "2");
}

TEST_F(relay_routes, two_requests_at_once_make_one_job) {
  std::vector<std::future<std::string>> replies;
  for (int i = 0; i < 8; ++i) {
    replies.push_back(
        std::async(std::launch::async, [this] { return post(full_request().dump()).body; }));
  }
  std::set<std::string> answers;
  for (auto& each : replies) answers.insert(each.get());
  EXPECT_EQ(answers.size(), 1u);
  EXPECT_EQ(db_.value("SELECT (SELECT count(*) FROM ocr_relay_jobs) || ' ' ||"
                      " (SELECT count(*) FROM ocr_relay_summaries) || ' ' ||"
                      " (SELECT count(*) FROM rowrunner.waits)"),
            "1 1 1");
}

TEST_F(relay_routes, without_the_token_nothing_is_served_but_health) {
  EXPECT_EQ(post(full_request().dump(), "wrong").status, 401);
  EXPECT_EQ(ask(server_.port(), "POST", "/jobs", {}, "{}").status, 401);
  EXPECT_EQ(get("/jobs/job_1", "wrong").status, 401);
  EXPECT_EQ(json::parse(get("/jobs/job_1", "wrong").body).at("error").at("code"),
            "UNAUTHENTICATED");
  const auto healthy = ask(server_.port(), "GET", "/healthz");
  EXPECT_EQ(healthy.status, 200);
  EXPECT_EQ(json::parse(healthy.body), json({{"status", "ok"}}));
  EXPECT_EQ(db_.value("SELECT count(*) FROM ocr_relay_jobs"), "0");
}

TEST_F(relay_routes, what_is_wrong_is_told_in_the_form_of_the_document) {
  const auto refused = [this](const json& body, const std::string& message) {
    const auto reply = post(body.dump());
    EXPECT_EQ(reply.status, 400);
    EXPECT_EQ(json::parse(reply.body),
              json({{"error", {{"code", "INVALID_ARGUMENT"}, {"message", message}}}}));
  };
  refused(request_without("fileId"), "fileId is required");
  refused(request_with("webhook.token", ""), "webhook.token is required");
  refused(request_with("webhook.url", "http://169.254.169.254/latest"),
          "webhook.url is an address that is refused");
  refused(request_with("fileId", "http://127.0.0.1/a.pdf"), "fileId is an address that is refused");
  EXPECT_EQ(json::parse(get("/jobs/job_none").body).at("error").at("code"), "NOT_FOUND");
  EXPECT_EQ(get("/jobs/job_none").status, 404);
  EXPECT_EQ(get("/jobs/a%00b").status, 400);
  EXPECT_EQ(db_.value("SELECT count(*) FROM ocr_relay_jobs"), "0");
}

TEST_F(relay_routes, addresses_of_inner_networks_are_refused_for_both_fields) {
  for (const auto& host : inner_addresses()) {
    for (const char* field : {"webhook.url", "fileId"}) {
      const auto reply = post(request_with(field, "https://" + host + "/x").dump());
      EXPECT_EQ(reply.status, 400) << host << " " << field;
      EXPECT_THAT(reply.body, HasSubstr(field));
    }
  }
  for (const char* port : {"22", "5432", "6379"}) {
    const auto url = std::string("http://a.example:") + port + "/";
    EXPECT_EQ(post(request_with("webhook.url", url).dump()).status, 400) << port;
  }
}

}  // namespace
}  // namespace rowrunner::testing
