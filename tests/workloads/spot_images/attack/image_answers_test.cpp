// An image API that attacks its clients, and settings that would give its key away.

#include <nlohmann/json.hpp>

#include "support/certificate.hpp"
#include "support/live_bytes.hpp"
#include "workloads/spot_images/support/image_api_stand_in.hpp"
#include "workloads/spot_images/support/spot_images_fixture.hpp"

namespace rowrunner::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class image_answers : public spot_images_fixture {
 protected:
  image_answers() { db.exec("ALTER TABLE spot_image_jobs ALTER max_attempts SET DEFAULT 1"); }

  void answer_about(const std::string& spot, int status, const std::string& body) {
    api.answer_about(spot, [=](http_exchange& x) { x.answer(status, body); });
  }
  std::string drain(const std::string& allowed = "") {
    auto settings = api.settings();
    settings["OUTBOUND_ALLOW"] = allowed;
    const auto drained = run({"worker", "--drain"}, settings);
    EXPECT_EQ(drained.exit_code, 0) << drained.err;
    return drained.err;
  }
  std::string complaint(process_environment settings) {
    const auto refused = run({"worker", "--drain"}, std::move(settings));
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_EQ(std::count(refused.err.begin(), refused.err.end(), '\n'), 1) << refused.err;
    EXPECT_THAT(refused.err, Not(HasSubstr("sk-hush")));
    return refused.err;
  }

  image_api_stand_in api;
};

TEST_F(image_answers, an_address_on_this_machine_is_not_fetched) {
  http_stand_in inside;
  inside.on("GET /secret.png", [](http_exchange& x) { x.answer(200, tiny_png("secret")); });
  const std::string port = ":" + std::to_string(inside.port());
  const std::vector<std::string> hosts{"127.0.0.1", "2130706433", "0x7f000001", "localhost",
                                       "[::ffff:127.0.0.1]"};
  for (const auto& host : hosts) {
    answer_about(host, 200, R"({"data":[{"url":"http://)" + host + port + R"(/secret.png"}]})");
  }
  enqueue_plan(hosts);
  const auto log = drain();
  for (const auto& host : hosts) {
    EXPECT_EQ(job_of(host), "failed 1 the picture's address: address refused");
  }
  EXPECT_EQ(inside.connections(), 0);
  EXPECT_THAT(log, AllOf(HasSubstr("the address 127.0.0.1 is refused (loopback)"),
                         Not(HasSubstr("secret.png"))));
}

TEST_F(image_answers, a_redirect_leads_no_further_than_the_address_itself) {
  http_stand_in first;
  const std::string inside = "http://127.0.0.2:" + std::to_string(first.port()) + "/a.png";
  first.on("GET /a.png", [&](http_exchange& x) { x.answer(302, "", {{"Location", inside}}); });
  answer_about("a", 200, R"({"data":[{"url":")" + first.url("/a.png") + R"("}]})");
  enqueue_plan({"a"});
  const auto log = drain("127.0.0.1/32");
  EXPECT_EQ(job_of("a"), "failed 1 the picture's address: address refused");
  EXPECT_EQ(first.calls().size(), 1u);
  EXPECT_EQ(first.calls().at(0).header("Authorization"), "");
  EXPECT_THAT(log, HasSubstr("127.0.0.2"));
}

TEST_F(image_answers, a_network_that_is_allowed_is_fetched_from) {
  http_stand_in inside;
  inside.on("GET /a.png", [](http_exchange& x) { x.answer(200, tiny_png("a")); });
  answer_about("a", 200, R"({"data":[{"url":")" + inside.url("/a.png") + R"("}]})");
  enqueue_plan({"a"});
  drain("10.0.0.0/8, 127.0.0.0/8");
  EXPECT_EQ(picture_of("a"), tiny_png("a"));
}

TEST_F(image_answers, megabytes_of_brackets_cost_no_more_than_their_bytes) {
  const std::string brackets(26'000'000, '[');
  std::string lists = "[";
  while (lists.size() < 26'000'000) lists += "[],";
  answer_about("deep", 200, brackets);
  answer_about("wide", 200, lists + "[]]");
  answer_about("broken", 500, brackets);
  enqueue_plan({"deep", "wide", "broken"});
  drain();
  const std::string said = "failed 1 the image API answered 200 without a picture: its answer ";
  EXPECT_EQ(job_of("deep"), said + "is nested deeper than 16");
  EXPECT_EQ(job_of("wide"), said + "has more than 10000 values");
  EXPECT_EQ(job_of("broken"), "failed 1 the image API answered 500");
  // Parsed without limits they take 2 GB. Sanitizers keep memory of their own.
  EXPECT_LT(most_bytes_of_a_child(), is_sanitized ? 1'500'000'000u : 600'000'000u);
}

TEST_F(image_answers, an_error_of_any_shape_is_told) {
  const std::map<std::string, std::pair<std::string, std::string>> errors{
      {"number", {R"({"error":{"message":5}})", ": 5"}},
      {"list", {R"({"error":{"message":["a","b"]}})", R"(: ["a","b"])"}},
      {"null", {R"({"error":{"message":null}})", ""}},
      {"none", {R"({"error":{}})", ""}},
      {"text", {R"({"error":"out of paint"})", ": out of paint"}},
      {"array", {R"([{"error":1}])", ""}},
      {"nothing", {"", ""}}};
  std::vector<std::string> places;
  for (const auto& [name, error] : errors) {
    answer_about(name, 400, error.first);
    places.push_back(name);
  }
  enqueue_plan(places);
  drain();
  for (const auto& [name, error] : errors) {
    EXPECT_EQ(job_of(name), "failed 1 the image API answered 400" + error.second);
  }
}

TEST_F(image_answers, no_key_or_token_travels_over_plain_http) {
  auto image = api.settings();
  for (const std::string url : {"http://images.example.com/v1", "http://10.0.0.1:8000/v1"}) {
    image["IMAGE_API_BASE_URL"] = url;
    EXPECT_THAT(complaint(image), AllOf(HasSubstr("IMAGE_API_BASE_URL: http://"),
                                        HasSubstr("plain http"), HasSubstr("use https")));
  }
  process_environment bucket{{"STORAGE_TYPE", "GCP"}, {"GCS_BUCKET_NAME", "pictures"}};
  bucket["GCS_BASE_URL"] = "http://storage.example.com";
  EXPECT_THAT(complaint(bucket), AllOf(HasSubstr("GCS_BASE_URL: "), HasSubstr("plain http")));
  bucket.erase("GCS_BASE_URL");
  bucket["GCE_METADATA_HOST"] = "metadata.example.com";
  EXPECT_THAT(complaint(bucket), HasSubstr("GCE_METADATA_HOST: "));
  bucket.erase("GCE_METADATA_HOST");

  const auto key = make_rsa_key();
  const auto account = [&](const std::string& token_uri) {
    const std::string file = folder + "/key.json";
    std::ofstream(file) << nlohmann::json{{"type", "service_account"},
                                          {"client_email", "a@b"},
                                          {"private_key", key.private_pem},
                                          {"token_uri", token_uri}};
    return file;
  };
  bucket["GOOGLE_APPLICATION_CREDENTIALS"] = account("http://tokens.example.com/token");
  EXPECT_THAT(complaint(bucket), AllOf(HasSubstr("token_uri"), HasSubstr("plain http")));
  account("https://oauth2.googleapis.com/token");
  bucket["STORAGE_EMULATOR_HOST"] = "storage.example.com:4443";
  EXPECT_THAT(complaint(bucket), HasSubstr("STORAGE_EMULATOR_HOST: "));
}

TEST_F(image_answers, an_allow_list_that_makes_no_sense_is_refused_at_start) {
  EXPECT_THAT(complaint({{"OUTBOUND_ALLOW", "127.0.0.1/32,localhost"}}),
              HasSubstr("OUTBOUND_ALLOW: 'localhost' is not a network"));
  EXPECT_THAT(complaint({{"OUTBOUND_PORTS", "http"}}), HasSubstr("OUTBOUND_PORTS: 'http'"));
}

}  // namespace
}  // namespace rowrunner::testing
