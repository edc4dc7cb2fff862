#include "workloads/spot_images/plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "common/errors.hpp"
#include "support/paths.hpp"

namespace rowrunner::spot_images {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string complaint(std::string_view text) {
  try {
    parse_plan(text);
  } catch (const bad_input& error) {
    return error.what();
  }
  return "";
}

std::string with_spots(const std::string& spots) {
  return R"({"plan_id": "p", "title": "t", "spots": [)" + spots + "]}";
}

std::string spot(const std::string& name, const std::string& more = "") {
  return R"({"spot_name": ")" + name + R"(", "area": "a", "description": "d")" + more + "}";
}

TEST(plan_file, is_read) {
  const plan read = parse_plan(with_spots(
      spot("金閣寺") + "," + spot("か\xE3\x82\x99", R"(, "image_url": "file:///x")") + "," +
      spot("c", R"(, "image_url": null)") + "," + spot("d", R"(, "image_url": "")")));
  EXPECT_EQ(read.id, "p");
  EXPECT_EQ(read.title, "t");
  ASSERT_EQ(read.spots.size(), 4u);
  EXPECT_EQ(read.spots[0].name, "金閣寺");
  EXPECT_EQ(read.spots[0].area, "a");
  EXPECT_EQ(read.spots[0].description, "d");
  EXPECT_EQ(read.spots[1].name, "\xE3\x81\x8C") << "in normal form";
  EXPECT_EQ(read.spots[1].image_url, "file:///x");
  EXPECT_FALSE(read.spots[2].image_url);
  EXPECT_FALSE(read.spots[3].image_url);
}

plan example(const std::string& name) {
  std::ifstream file(testing::source_dir() + "/examples/" + name);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  return parse_plan(text);
}

TEST(plan_file, of_the_examples_has_twelve_places) {
  const plan kyoto = example("kyoto.json");
  EXPECT_EQ(kyoto.id, "kyoto");
  EXPECT_EQ(kyoto.spots.size(), 12u);
  EXPECT_EQ(kyoto.spots[3].name, "嵐山 竹林の小径");
  EXPECT_EQ(example("atlas.json").spots.size(), 12u);
}

TEST(plan_file, complains_about_a_missing_field_by_its_place) {
  EXPECT_EQ(complaint("{}"), "plan_id is missing");
  EXPECT_EQ(complaint(R"({"plan_id": "p"})"), "title is missing");
  EXPECT_EQ(complaint(R"({"plan_id": "p", "title": "t"})"), "spots is missing");
  EXPECT_EQ(complaint(with_spots(spot("a") + "," + R"({"area": "", "description": ""})")),
            "spots[1].spot_name is missing");
  EXPECT_EQ(complaint(with_spots(R"({"spot_name": "a", "description": ""})")),
            "spots[0].area is missing");
  EXPECT_EQ(complaint(with_spots(R"({"spot_name": "a", "area": ""})")),
            "spots[0].description is missing");
}

TEST(plan_file, complains_about_wrong_types_and_unknown_fields) {
  EXPECT_EQ(complaint("[]"), "the plan file is array, must be an object");
  EXPECT_EQ(complaint(R"({"plan_id": 7})"), "plan_id is number, must be a string");
  EXPECT_EQ(complaint(R"({"plan_id": "p", "title": "t", "spots": {}})"),
            "spots is object, must be an array");
  EXPECT_EQ(complaint(with_spots("3")), "spots[0] is number, must be an object");
  EXPECT_EQ(complaint(with_spots(spot("a", R"(, "image_url": 3)"))),
            "spots[0].image_url is number, must be a string");
  EXPECT_EQ(complaint(with_spots(spot("a", R"(, "image": "x")"))),
            "spots[0].image is not a field that is known here");
}

TEST(plan_file, complains_about_a_spot_that_comes_twice) {
  EXPECT_EQ(complaint(with_spots(spot("a") + "," + spot("b") + "," + spot("a"))),
            "spots[2].spot_name 'a' stands in spots[0] already");
  EXPECT_THAT(complaint(with_spots(spot("\xE3\x81\x8C") + "," + spot("か\xE3\x82\x99"))),
              HasSubstr("stands in spots[0] already"));
}

TEST(plan_file, complains_about_text_that_is_none) {
  EXPECT_EQ(complaint(with_spots(spot(std::string(3'000'000, 'x')))),
            "spots[0].spot_name is longer than 200 characters");
  EXPECT_EQ(complaint(with_spots(spot(""))), "spots[0].spot_name is empty");
  EXPECT_THAT(complaint(with_spots(spot("a\\u0000b"))),
              StartsWith("spots[0].spot_name: NUL character"));
  EXPECT_THAT(complaint(with_spots(spot(std::string("a\0b", 3)))),
              StartsWith("the plan file: NUL character at byte"));
  EXPECT_THAT(complaint(with_spots(spot("\xC3("))), StartsWith("the plan file: broken UTF-8"));
  EXPECT_THAT(complaint(with_spots(spot("\\ud800"))), StartsWith("the plan file is not JSON"));
}

TEST(plan_file, complains_about_what_is_no_plan_at_all) {
  EXPECT_THAT(complaint(""), StartsWith("the plan file is not JSON: parse error"));
  EXPECT_THAT(complaint("{\"plan_id\": \"p\","), StartsWith("the plan file is not JSON"));
  EXPECT_LT(complaint("{" + std::string(1'000'000, 'x')).size(), 400u);
  EXPECT_EQ(complaint(std::string(200'000, '[')), "the plan file is nested deeper than 16");
  EXPECT_EQ(complaint(std::string(max_plan_file + 1, ' ')), "the plan file is larger than 16 MiB");
}

}  // namespace
}  // namespace rowrunner::spot_images
