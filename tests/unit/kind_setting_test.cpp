#include "program/kind_setting.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rowrunner {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr number_setting<int> width{"--width", "TEST_WIDTH", 1, 100};

std::optional<int> width_of(const std::string& kind, const std::vector<std::string>& flags,
                            const std::map<std::string, std::string>& variables) {
  return given_for(kind, width, flags, environment(variables));
}

const std::vector<std::string> known{"page", "spot_image"};

std::string refusal(const std::vector<std::string>& flags) {
  try {
    check_flag_kinds(known, width.flag, flags);
  } catch (const usage_error& e) {
    return e.what();
  }
  return "";
}

TEST(kind_setting, flags_go_over_variables_and_one_kind_over_all) {
  EXPECT_EQ(width_of("page", {}, {}), std::nullopt);
  EXPECT_EQ(width_of("page", {}, {{"TEST_WIDTH", "1"}}), 1);
  EXPECT_EQ(width_of("page", {}, {{"TEST_WIDTH", "1"}, {"TEST_WIDTH_PAGE", "2"}}), 2);
  EXPECT_EQ(width_of("page", {"3"}, {{"TEST_WIDTH_PAGE", "2"}}), 3);
  EXPECT_EQ(width_of("page", {"page=4", "3"}, {{"TEST_WIDTH_PAGE", "2"}}), 4);
  EXPECT_EQ(width_of("spot_image", {"page=4"}, {{"TEST_WIDTH_SPOT_IMAGE", "5"}}), 5);
}

TEST(kind_setting, a_wrong_number_is_refused_by_the_name_of_where_it_stands) {
  const auto why = [](const std::vector<std::string>& flags,
                      const std::map<std::string, std::string>& variables) -> std::string {
    try {
      width_of("page", flags, variables);
    } catch (const usage_error& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_EQ(why({"page=0"}, {}), "--width of page must be from 1 to 100, not 0");
  EXPECT_EQ(why({"page="}, {}), "--width of page must be a number, not ''");
  EXPECT_EQ(why({"many"}, {}), "--width must be a number, not 'many'");
  EXPECT_EQ(why({}, {{"TEST_WIDTH_PAGE", "101"}}),
            "TEST_WIDTH_PAGE must be from 1 to 100, not 101");
}

TEST(kind_setting, flags_that_name_no_kind_are_refused_with_a_list) {
  EXPECT_EQ(refusal({"page=1", "2"}), "");
  EXPECT_EQ(refusal({"pages=1"}), "--width names the kind 'pages': there are page, spot_image");
}

TEST(kind_setting, variables_that_name_no_kind_are_known) {
  const auto others = [](const std::map<std::string, std::string>& variables) {
    return variables_of_other_kinds(known, width.variable, environment(variables));
  };
  EXPECT_THAT(others({{"TEST_WIDTH_SPOT_IMAGE", "1"}, {"TEST_WIDTH", "1"}}), IsEmpty());
  EXPECT_THAT(others({{"TEST_WIDTH_PAGES", "1"}, {"TEST_WIDTH_PAGE", "1"}}),
              ElementsAre("TEST_WIDTH_PAGES"));
  EXPECT_THAT(others({{"TEST_WIDTH_PAGES", ""}}), IsEmpty()) << "an empty one counts as none";
  EXPECT_EQ(variables_of(known, width.variable), "TEST_WIDTH_PAGE, TEST_WIDTH_SPOT_IMAGE");
}

TEST(kind_setting, variables_know_a_kind_in_capitals) {
  EXPECT_EQ(kind_in_variable("spot_image"), "SPOT_IMAGE");
  EXPECT_EQ(kind_in_variable("a-b.c1"), "A_B_C1");
}

}  // namespace
}  // namespace rowrunner
