// Travel plans over HTTP.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "api/server_fixture.hpp"
#include "api/test_server.hpp"
#include "apps/workloads.hpp"

namespace rowrunner::testing {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

constexpr const char* kyoto =
    R"({"plan_id": "kyoto", "title": "Kyoto", "spots": [
        {"spot_name": "金閣寺", "area": "Kita", "description": "gold"},
        {"spot_name": "Nijo", "area": "Nakagyo", "description": "castle", "image_url": "https://a.example/n.png"}]})";

class plan_routes : public ::testing::Test {
 protected:
  plan_routes() {
    for (const char* role : {"user", "viewer", "operator"}) tokens_[role] = db_.token(role, role);
  }

  static std::vector<api::route> routes() {
    static boost::asio::io_context io;
    auto all = api::all_routes();
    const environment env({{"LOCAL_STORAGE_PATH", folder().string()}});
    for (auto& each : workload_routes(io.get_executor(), env)) all.push_back(std::move(each));
    return all;
  }
  static std::filesystem::path folder() {
    static const auto made = [] {
      auto path =
          std::filesystem::temp_directory_path() / ("plan_routes_" + std::to_string(::getpid()));
      std::filesystem::create_directories(path);
      return path;
    }();
    return made;
  }

  http_reply call(const std::string& method, const std::string& path, const std::string& role,
                  const std::string& body = {}) {
    auto fields = bearer(tokens_.at(role));
    if (!body.empty()) fields.emplace_back("Content-Type", "application/json");
    return ask(server_.port(), method, path, fields, body);
  }

  workloads_database db_;
  std::map<std::string, std::string> tokens_;
  test_server server_{{}, routes(), db_.url()};
};

TEST_F(plan_routes, a_plan_and_its_jobs_are_saved_once) {
  const auto first = call("POST", "/api/plans", "operator", kyoto);
  EXPECT_EQ(first.status, 201) << first.body;
  EXPECT_EQ(json::parse(first.body),
            json({{"plan_id", "kyoto"}, {"result", "created"}, {"enqueued", 1}}));
  const auto again = call("POST", "/api/plans", "operator", kyoto);
  EXPECT_EQ(again.status, 200);
  EXPECT_EQ(json::parse(again.body),
            json({{"plan_id", "kyoto"}, {"result", "unchanged"}, {"enqueued", 0}}));
  EXPECT_EQ(db_.value("SELECT count(*) FROM spot_image_jobs"), "1");
  auto other = json::parse(kyoto);
  other["title"] = "Other";
  const auto differs = call("POST", "/api/plans", "operator", other.dump());
  EXPECT_EQ(differs.status, 409);
  EXPECT_THAT(differs.body, HasSubstr("the title differs"));
}

TEST_F(plan_routes, a_plan_with_its_places_and_jobs) {
  call("POST", "/api/plans", "operator", kyoto);
  const auto seen = json::parse(call("GET", "/api/plans/kyoto", "viewer").body);
  ASSERT_EQ(seen.at("spots").size(), 2u);
  const auto& first = seen.at("spots")[0];
  EXPECT_EQ(first.at("spot_name"), "金閣寺");
  EXPECT_EQ(first.at("image_status"), "not_started");
  EXPECT_TRUE(first.at("image_url").is_null());
  EXPECT_EQ(first.at("job").at("status"), "queued");
  EXPECT_EQ(first.at("job").at("kind"), "spot_image");
  EXPECT_TRUE(seen.at("spots")[1].at("job").is_null());
  EXPECT_EQ(seen.at("spots")[1].at("image_url"), "https://a.example/n.png");
  const auto list = json::parse(call("GET", "/api/plans", "viewer").body);
  EXPECT_EQ(list.at("items")[0].at("plan_id"), "kyoto");
  EXPECT_EQ(list.at("complete"), true);
  EXPECT_EQ(call("GET", "/api/plans/none", "viewer").status, 404);
}

TEST_F(plan_routes, the_picture_of_a_place_comes_from_the_storage) {
  call("POST", "/api/plans", "operator", kyoto);
  const auto file = folder() / "k.png";
  std::ofstream(file) << "\x89PNG\r\n\x1a\n and so on";
  const auto path = "/api/plans/kyoto/pictures/%E9%87%91%E9%96%A3%E5%AF%BA";
  EXPECT_EQ(call("GET", path, "viewer").status, 404);
  db_.exec("UPDATE spots SET image_url = 'file://" + file.string() + "' WHERE spot_name <> 'Nijo'");
  const auto picture = call("GET", path, "viewer");
  EXPECT_EQ(picture.status, 200) << picture.body;
  EXPECT_EQ(picture.header("content-type"), "image/png");
  EXPECT_THAT(picture.body, HasSubstr("and so on"));
  // An address outside of the storage is not read.
  db_.exec("UPDATE spots SET image_url = 'file:///etc/passwd' WHERE spot_name <> 'Nijo'");
  EXPECT_EQ(call("GET", path, "viewer").status, 404);
  EXPECT_EQ(call("GET", "/api/plans/kyoto/pictures/Nijo", "viewer").status, 404);
}

TEST_F(plan_routes, bad_plans_and_wrong_roles_are_refused) {
  for (const char* bad :
       {"", "[]", "{", R"({"plan_id": "x"})", R"({"plan_id": 1, "title": "", "spots": []})",
        R"({"plan_id": "x", "title": "t", "spots": [{"spot_name": ""}]})"}) {
    EXPECT_EQ(call("POST", "/api/plans", "operator", bad).status, 400) << bad;
  }
  for (const char* role : {"user", "viewer"}) {
    EXPECT_EQ(call("POST", "/api/plans", role, kyoto).status, 403);
  }
  EXPECT_EQ(call("GET", "/api/plans/kyoto", "user").status, 403);
  EXPECT_EQ(call("POST", "/api/plans", "operator", std::string(1024 * 1024 + 1, ' ')).status, 413);
  EXPECT_EQ(db_.value("SELECT count(*) FROM travel_plans"), "0");
}

}  // namespace
}  // namespace rowrunner::testing
