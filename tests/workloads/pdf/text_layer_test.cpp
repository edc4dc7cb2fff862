#include "workloads/pdf/text_layer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rowrunner::pdf {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// Where a point of the page as it is seen is in the file.
std::pair<double, double> place(const std::array<double, 6>& turn, double x, double y) {
  return {turn[0] * x + turn[2] * y + turn[4], turn[1] * x + turn[3] * y + turn[5]};
}

TEST(text_layer, the_lower_left_corner_is_where_the_page_is_turned_to) {
  const box crop{10, 20, 110, 220};
  EXPECT_EQ(place(seen_to_file(crop, 0), 0, 0), std::pair(10.0, 20.0));
  EXPECT_EQ(place(seen_to_file(crop, 90), 0, 0), std::pair(110.0, 20.0));
  EXPECT_EQ(place(seen_to_file(crop, 180), 0, 0), std::pair(110.0, 220.0));
  EXPECT_EQ(place(seen_to_file(crop, 270), 0, 0), std::pair(10.0, 220.0));
  EXPECT_EQ(place(seen_to_file(crop, -90), 0, 0), std::pair(10.0, 220.0));
}

TEST(text_layer, the_upper_right_corner_is_opposite) {
  const box crop{10, 20, 110, 220};
  EXPECT_EQ(place(seen_to_file(crop, 0), 100, 200), std::pair(110.0, 220.0));
  EXPECT_EQ(place(seen_to_file(crop, 90), 200, 100), std::pair(10.0, 220.0));
  EXPECT_EQ(place(seen_to_file(crop, 180), 100, 200), std::pair(10.0, 20.0));
  EXPECT_EQ(place(seen_to_file(crop, 270), 200, 100), std::pair(110.0, 20.0));
}

TEST(text_layer, text_is_utf_16) {
  EXPECT_EQ(hex_utf16("A東"), "00416771");
  EXPECT_EQ(hex_utf16("𠮟"), "D842DF9F");
  EXPECT_EQ(hex_utf16("\xff"), "FFFD");
}

TEST(text_layer, a_word_is_stretched_over_its_box) {
  page_reading reading;
  reading.dpi = 72;
  reading.width = 100;
  reading.height = 200;
  reading.words = {{"ab", 90, 10, 20, 50, 40}, {"nothing", 90, 10, 20, 10, 20}};
  const auto layer = text_layer(reading, {0, 0, 100, 200}, 0, "/F");
  EXPECT_THAT(layer, HasSubstr("3 Tr"));
  EXPECT_THAT(layer, HasSubstr("/F 20.000 Tf"));
  // Two characters of 10 points each are as wide as 40 points.
  EXPECT_THAT(layer, HasSubstr("200.000 Tz"));
  EXPECT_THAT(layer, HasSubstr("1.000 0.000 0.000 1.000 10.000 160.000 Tm\n<00610062> Tj"));
  EXPECT_THAT(layer, Not(HasSubstr("006E006F")));
}

}  // namespace
}  // namespace rowrunner::pdf
