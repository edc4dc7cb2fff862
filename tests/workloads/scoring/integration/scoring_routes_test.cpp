// Scoring over HTTP.
#include <gmock/gmock.h>

#include "api/server_fixture.hpp"
#include "api/test_server.hpp"
#include "apps/workloads.hpp"
#include "support/command.hpp"

namespace rowrunner::testing {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class scoring_routes : public ::testing::Test {
 protected:
  scoring_routes() {
    for (const char* role : {"user", "viewer", "operator"}) tokens_[role] = db_.token(role, role);
  }

  static std::vector<api::route> routes() {
    static boost::asio::io_context io;
    auto all = api::all_routes();
    const environment env(std::map<std::string, std::string>{});
    for (auto& each : workload_routes(io.get_executor(), env)) all.push_back(std::move(each));
    return all;
  }

  http_reply call(const std::string& method, const std::string& path, const std::string& role,
                  const std::string& body = {}) {
    auto fields = bearer(tokens_.at(role));
    if (!body.empty()) fields.emplace_back("Content-Type", "application/json");
    return ask(server_.port(), method, "/api/scoring/runs" + path, fields, body);
  }
  static json may() {
    return {{"name", "may"},
            {"sheet", "id,utterance\r\n1,I love it\r\n2,I am angry\r\n"},
            {"categories", {{{"name", "mood"}, {"categories", {"love", "angry"}}}}}};
  }
  void work() {
    command(db_).out({"worker", "--drain", "--log-level", "off", "--kind", "scoring_chunk",
                      "--kind", "scoring_run"});
  }

  workloads_database db_;
  std::map<std::string, std::string> tokens_;
  test_server server_{{}, routes(), db_.url()};
};

TEST_F(scoring_routes, a_run_is_made_watched_and_exported) {
  const auto made = call("POST", "", "operator", may().dump());
  EXPECT_EQ(made.status, 201) << made.body;
  EXPECT_EQ(json::parse(made.body),
            json::parse(R"({"run": "may", "result": "created", "rows": 2})"));
  EXPECT_EQ(call("POST", "", "operator", may().dump()).status, 200);
  EXPECT_EQ(json::parse(call("GET", "/may", "viewer").body)["status"], "running");
  work();
  const auto status = json::parse(call("GET", "/may", "viewer").body);
  EXPECT_EQ(status["status"], "completed");
  EXPECT_EQ(status["processed_rows"], 2);
  const auto chunks = json::parse(call("GET", "/may/chunks", "viewer").body);
  EXPECT_EQ(chunks.at(0)["chunk_id"], "chunk-0001");
  EXPECT_EQ(chunks.at(0)["status"], "completed");
  const auto checkpoint = json::parse(call("GET", "/may/checkpoint", "viewer").body);
  EXPECT_THAT(checkpoint["completed_blocks"], ElementsAre("1:0", "2:0"));
  const auto csv = call("GET", "/may/export", "viewer");
  EXPECT_THAT(csv.body, HasSubstr("id,utterance,mood: love,mood: angry\r\n1,I love it,1,"));
  EXPECT_EQ(json::parse(call("GET", "/may/failures", "viewer").body), json::array());
  EXPECT_EQ(json::parse(call("GET", "", "viewer").body)["items"][0]["run"], "may");
}

TEST_F(scoring_routes, what_cannot_be_used_is_refused_with_its_reason) {
  const auto refused = [&](json body) { return call("POST", "", "operator", body.dump()); };
  auto other = may();
  EXPECT_EQ(refused(may()).status, 201);
  other["sheet"] = "utterance\nx\n";
  EXPECT_THAT(refused(other).body, HasSubstr("exists with other content"));
  other["name"] = "a/b";
  EXPECT_THAT(refused(other).body, HasSubstr("a run's name is"));
  other["name"] = "june";
  other["config"] = {{"concurrency", 0}};
  EXPECT_THAT(refused(other).body, HasSubstr("concurrency is 0"));
  other.erase("config");
  other["max_calls"] = -1;
  EXPECT_THAT(refused(other).body, HasSubstr("max_calls must be"));
  other.erase("max_calls");
  other["provider"] = "oracle";
  EXPECT_THAT(refused(other).body, HasSubstr("there is no provider 'oracle'"));
  other["provider"] = "lexical";
  other["model"] = "big";
  EXPECT_THAT(refused(other).body, HasSubstr("the provider lexical has one model"));
  other.erase("provider");
  other.erase("model");
  other["spreadsheet"] = "book";
  EXPECT_THAT(refused(other).body, HasSubstr("either sheet or spreadsheet"));
  other.erase("sheet");
  other["spreadsheet"] = "../x";
  EXPECT_THAT(refused(other).body, HasSubstr("is no id of a spreadsheet"));
  other.erase("spreadsheet");
  EXPECT_THAT(refused(other).body, HasSubstr("either sheet or spreadsheet"));
  other["sheet"] = "utterance\nx\n";
  EXPECT_EQ(db_.value("SELECT count(*) FROM scoring_runs"), "1");
  other["extra"] = 1;
  EXPECT_THAT(refused(other).body, HasSubstr("unknown member 'extra'"));
  EXPECT_EQ(refused(json::array()).status, 400);
  EXPECT_EQ(call("GET", "/nope", "viewer").status, 404);
  EXPECT_EQ(call("GET", "/nope/export", "viewer").status, 404);
  EXPECT_EQ(call("POST", "/nope/resume", "operator").status, 404);
}

TEST_F(scoring_routes, metrics_have_the_sums_of_each_model) {
  ASSERT_EQ(call("POST", "", "operator", may().dump()).status, 201);
  work();
  const auto scrape = ask(server_.port(), "GET", "/metrics", bearer(tokens_.at("viewer")));
  EXPECT_EQ(scrape.status, 200);
  const std::string of = "{provider=\"lexical\",model=\"ngram-1\"} ";
  EXPECT_THAT(scrape.body, HasSubstr("rowrunner_scoring_blocks_total" + of + "2\n"));
  EXPECT_THAT(scrape.body, HasSubstr("rowrunner_scoring_cache_hits_total" + of + "0\n"));
  EXPECT_THAT(scrape.body, HasSubstr("rowrunner_scoring_flushes_total" + of + "1\n"));
  EXPECT_THAT(scrape.body, HasSubstr("rowrunner_scoring_write_seconds_total" + of));
  EXPECT_THAT(scrape.body, HasSubstr("rowrunner_scoring_call_seconds_total" + of));
  EXPECT_THAT(scrape.body, HasSubstr("rowrunner_database_up 1\n"));
}

TEST_F(scoring_routes, are_for_those_who_may) {
  EXPECT_EQ(call("POST", "", "viewer", may().dump()).status, 403);
  EXPECT_EQ(call("GET", "", "user").status, 403);
  EXPECT_EQ(call("POST", "/may/resume", "viewer").status, 403);
}

TEST_F(scoring_routes, a_run_that_failed_is_resumed) {
  ASSERT_EQ(call("POST", "", "operator", may().dump()).status, 201);
  EXPECT_EQ(call("POST", "/may/resume", "operator").status, 409);
  db_.exec("UPDATE scoring_chunk_jobs SET max_attempts = 1");
  db_.exec("UPDATE scoring_runs SET provider = 'gone'");
  work();
  const auto failed = json::parse(call("GET", "/may", "viewer").body);
  EXPECT_EQ(failed["status"], "failed");
  EXPECT_THAT(failed["reason"].get<std::string>(), HasSubstr("there is no provider 'gone'"));
  db_.exec("UPDATE scoring_runs SET provider = 'lexical'");
  EXPECT_EQ(call("POST", "/may/resume", "operator").status, 202);
  work();
  EXPECT_EQ(json::parse(call("GET", "/may", "viewer").body)["status"], "completed");
  EXPECT_EQ(call("POST", "/may/retry-failed", "operator").status, 409);
}

}  // namespace
}  // namespace rowrunner::testing
