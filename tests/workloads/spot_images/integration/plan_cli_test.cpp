// The commands around travel plans, as people and scripts call them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "common/storage/folder.hpp"
#include "support/paths.hpp"
#include "support/process.hpp"
#include "workloads/spot_images/support/spot_database.hpp"

namespace rowrunner::testing {
namespace {

using nlohmann::json;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;
namespace fs = std::filesystem;

const std::string kyoto = source_dir() + "/examples/kyoto.json";
const std::string three_spots = R"({"plan_id": "p", "title": "Three <b>", "spots": [
  {"spot_name": "a", "area": "x", "description": "first"},
  {"spot_name": "b", "area": "", "description": ""},
  {"spot_name": "c", "area": "", "description": ""}]})";

class plan_cli : public ::testing::Test {
 protected:
  plan_cli() : folder_(fs::path(::testing::TempDir()) / db_.name()) {
    fs::create_directories(folder_);
  }
  ~plan_cli() override { fs::remove_all(folder_); }

  process_result run(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), rowrunner_binary());
    return run_process(arguments,
                       {{"DATABASE_URL", db_.url()},
                        {"STORAGE_TYPE", "LOCAL"},
                        {"LOCAL_STORAGE_PATH", (folder_ / "storage").string()}},
                       folder_.string());
  }
  std::string out(const std::vector<std::string>& arguments) const {
    const auto result = run(arguments);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(result.err, "");
    return result.out;
  }
  json parsed(std::vector<std::string> arguments) const {
    arguments.emplace_back("--json");
    return json::parse(out(arguments));
  }
  static void expect_error(const process_result& result, int exit_code, const std::string& text) {
    EXPECT_EQ(result.exit_code, exit_code) << result.out;
    EXPECT_THAT(result.err, HasSubstr(text));
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return (folder_ / name).string();
  }
  std::string read(const fs::path& name) const {
    std::ifstream file(folder_ / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  spot_database db_;
  fs::path folder_;
};

TEST_F(plan_cli, imports_a_plan_once) {
  EXPECT_EQ(out({"plan", "import", kyoto}), "plan kyoto is imported: 12 spots\n");
  EXPECT_EQ(db_.value("SELECT string_agg(spot_name, ' ' ORDER BY position) FROM spots"
                      " WHERE position <= 3"),
            "金閣寺 伏見稲荷大社 清水寺");
  EXPECT_EQ(db_.value("SELECT count(*) FROM spot_image_jobs"), "0");
  EXPECT_EQ(out({"plan", "import", kyoto}), "plan kyoto is unchanged: 12 spots\n");
  EXPECT_EQ(parsed({"plan", "import", kyoto})["result"], "unchanged");
}

TEST_F(plan_cli, imports_and_enqueues_in_one_go) {
  const auto first = parsed({"plan", "import", kyoto, "--enqueue"});
  EXPECT_EQ(first["result"], "created");
  EXPECT_EQ(first["spots"], 12);
  EXPECT_EQ(first["enqueue"]["enqueued"], 12);
  EXPECT_EQ(db_.value("SELECT count(*) FROM spot_image_jobs WHERE status = 'queued'"), "12");
  EXPECT_EQ(out({"plan", "import", kyoto, "--enqueue"}),
            "plan kyoto is unchanged: 12 spots\n"
            "pictures: 0 enqueued, 0 requeued, 12 skipped\n");
}

TEST_F(plan_cli, reads_a_plan_from_stdin) {
  const auto file = write("p.json", three_spots);
  const auto result = run_process({"sh", "-c", rowrunner_binary() + " plan import - <" + file},
                                  {{"DATABASE_URL", db_.url()}});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(db_.value("SELECT count(*) FROM spots"), "3");
}

TEST_F(plan_cli, a_plan_that_differs_is_refused_and_nothing_changes) {
  out({"plan", "import", write("p.json", three_spots)});
  db_.exec("UPDATE spots SET image_url = 'file:///by-a-worker' WHERE spot_name = 'a'");
  EXPECT_EQ(parsed({"plan", "import", write("p.json", three_spots)})["result"], "unchanged");
  auto other = json::parse(three_spots);
  other["spots"][1]["area"] = "elsewhere";
  expect_error(run({"plan", "import", write("o.json", other.dump()), "--enqueue"}), 1,
               "plan 'p' exists with other content (spots[1].area differs); nothing was changed");
  other["spots"].erase(1);
  expect_error(run({"plan", "import", write("o.json", other.dump())}), 1, "the number of spots");
  EXPECT_EQ(db_.value("SELECT count(*) FROM spots WHERE area = ''"), "2");
  EXPECT_EQ(db_.value("SELECT count(*) FROM spot_image_jobs"), "0");
}

TEST_F(plan_cli, bad_files_get_one_clear_line_and_leave_nothing) {
  const auto refused = [this](const std::string& text, const std::string& complaint) {
    expect_error(run({"plan", "import", write("bad.json", text), "--enqueue"}), 1,
                 "bad.json: " + complaint);
  };
  const auto spot = [](const std::string& name) {
    return R"({"plan_id": "p", "title": "t", "spots": [{"spot_name": ")" + name +
           R"(", "area": "", "description": ""}]})";
  };
  refused(R"({"plan_id": "p", "title": "t", "spots": [{"area": "", "description": ""}]})",
          "spots[0].spot_name is missing");
  refused(R"({"plan_id": "p", "title": "t", "spots": [)"
          R"({"spot_name": "a", "area": "", "description": ""},)"
          R"({"spot_name": "a", "area": "", "description": ""}]})",
          "spots[1].spot_name 'a' stands in spots[0] already");
  refused(spot(std::string(3'000'000, 'x')), "spots[0].spot_name is longer than 200 characters");
  refused(spot("\\u0000"), "spots[0].spot_name: NUL character");
  refused(spot(std::string(1, '\0')), "the plan file: NUL character at byte");
  refused(spot("\xFF"), "the plan file: broken UTF-8");
  refused("hello", "the plan file is not JSON");
  refused("", "the plan file is not JSON");
  expect_error(run({"plan", "import", "/nowhere/x.json"}), 1, "cannot read /nowhere/x.json");
  expect_error(run({"plan", "import", folder_.string()}), 1, "cannot read");
  EXPECT_EQ(db_.value("SELECT count(*) FROM travel_plans"), "0");
  EXPECT_EQ(db_.value("SELECT count(*) FROM spots"), "0");
}

TEST_F(plan_cli, a_plan_is_saved_even_if_its_pictures_cannot_be_enqueued) {
  db_.exec("ALTER TABLE spot_image_jobs ADD CHECK (spot_name <> 'b')");
  const auto result = run({"plan", "import", write("p.json", three_spots), "--enqueue"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("the plan is saved, but its pictures are not enqueued"));
  EXPECT_EQ(db_.value("SELECT count(*) FROM spots"), "3");
  EXPECT_EQ(db_.value("SELECT count(*) FROM spot_image_jobs"), "0");
}

TEST_F(plan_cli, shows_a_plan_with_its_jobs) {
  out({"plan", "import", write("p.json", three_spots)});
  db_.exec("UPDATE spots SET image_url = 'file:///a.png' WHERE spot_name = 'a'");
  db_.exec(
      "INSERT INTO spot_image_jobs (plan_id, spot_name, status, attempts, last_error)"
      " VALUES ('p', 'b', 'failed', 3, 'no paint')");
  const auto text = out({"plan", "show", "p"});
  EXPECT_THAT(text, ContainsRegex("a +not_started +- +- +file:///a.png"));
  EXPECT_THAT(text, ContainsRegex("b +failed +failed +3 +\\(no paint\\)"));
  const auto shown = parsed({"plan", "show", "p"});
  EXPECT_EQ(shown["title"], "Three <b>");
  EXPECT_EQ(shown["spots"][0]["image_url"], "file:///a.png");
  EXPECT_TRUE(shown["spots"][0]["job"].is_null());
  EXPECT_EQ(shown["spots"][1]["job"]["last_error"], "no paint");
  EXPECT_EQ(shown["spots"][1]["job"]["attempts"], 3);
  expect_error(run({"plan", "show", "nowhere"}), 1, "unknown plan 'nowhere'");
}

TEST_F(plan_cli, enqueues_a_plan_or_what_is_missing) {
  out({"plan", "import", write("p.json", three_spots)});
  EXPECT_EQ(out({"enqueue", "spot-images", "--plan", "p"}),
            "pictures: 3 enqueued, 0 requeued, 0 skipped\n");
  db_.exec("UPDATE spot_image_jobs SET status = 'failed' WHERE spot_name = 'a'");
  db_.exec("DELETE FROM spot_image_jobs WHERE spot_name = 'b'");
  const auto swept = parsed({"enqueue", "spot-images", "--missing"});
  EXPECT_EQ(swept["enqueued"], 1);
  EXPECT_EQ(swept["skipped"], 2);
  EXPECT_EQ(parsed({"enqueue", "spot-images", "--plan", "p"})["requeued"], 1);
  expect_error(run({"enqueue", "spot-images", "--plan", "nowhere"}), 1, "unknown plan 'nowhere'");
  expect_error(run({"enqueue", "spot-images"}), 2, "either --plan or --missing");
  expect_error(run({"enqueue", "spot-images", "--missing", "--plan", "p"}), 2, "either --plan");
  expect_error(run({"enqueue"}), 2, "which command?");
}

TEST_F(plan_cli, the_gallery_shows_a_picture_a_failure_and_a_place_that_waits) {
  out({"plan", "import", write("p.json", three_spots), "--enqueue"});
  const std::string bytes = "\x89PNG pretends";
  storage::folder((folder_ / "storage").string()).put("p/a.png", bytes);
  const auto url = "file://" + fs::canonical(folder_ / "storage" / "p" / "a.png").string();
  db_.exec("UPDATE spots SET image_url = '" + url + "' WHERE spot_name = 'a'");
  db_.exec(
      "UPDATE spot_image_jobs SET status = 'failed', last_error = 'paint <ran> out'"
      " WHERE spot_name = 'b'");
  const auto made = parsed({"gallery", "--plan", "p", "--out", "deep/gallery"});
  EXPECT_EQ(made["gallery"], "deep/gallery/gallery.html");
  EXPECT_EQ(made["pictures"], 1);
  EXPECT_EQ(made["spots"], 3);
  EXPECT_EQ(read("deep/gallery/001.png"), bytes);
  const auto page = read("deep/gallery/gallery.html");
  EXPECT_THAT(page, HasSubstr("src=\"001.png\""));
  EXPECT_THAT(page, HasSubstr("paint &lt;ran&gt; out"));
  EXPECT_THAT(page, HasSubstr("<article class=\"not_started\">"));
  EXPECT_THAT(page, Not(HasSubstr("Three <b>")));
  fs::remove(folder_ / "storage" / "p" / "a.png");
  EXPECT_EQ(out({"gallery", "--plan", "p", "--out", "g"}),
            "g/gallery.html shows 0 of 3 pictures\n");
  EXPECT_THAT(read("g/gallery.html"), HasSubstr("the file is missing in the storage: p/a.png"));
}

TEST_F(plan_cli, the_gallery_says_what_is_wrong) {
  expect_error(run({"gallery", "--plan", "nowhere", "--out", "g"}), 1, "unknown plan 'nowhere'");
  EXPECT_FALSE(fs::exists(folder_ / "g"));
  out({"plan", "import", write("p.json", three_spots)});
  expect_error(run({"gallery", "--plan", "p"}), 2, "--out");
  expect_error(run({"gallery", "--plan", "p", "--out", write("file", "x")}), 1,
               "cannot make the folder");
  expect_error(run({"gallery", "--plan", "p", "--out", "/proc/nowhere"}), 1,
               "cannot make the folder /proc/nowhere");
}

TEST_F(plan_cli, has_help_with_examples) {
  for (const std::vector<std::string>& command : {std::vector<std::string>{"plan"},
                                                  {"plan", "import"},
                                                  {"plan", "show"},
                                                  {"enqueue"},
                                                  {"enqueue", "spot-images"},
                                                  {"gallery"}}) {
    auto arguments = command;
    arguments.emplace_back("--help");
    EXPECT_THAT(out(arguments), ContainsRegex("Examples?:\n  rowrunner"));
  }
}

}  // namespace
}  // namespace rowrunner::testing
