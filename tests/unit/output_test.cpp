#include "command/output.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "common/text.hpp"

namespace rowrunner {
namespace {

TEST(output, measures_as_a_terminal_does) {
  EXPECT_EQ(display_width(""), 0u);
  EXPECT_EQ(display_width("plain"), 5u);
  EXPECT_EQ(display_width("é"), 1u);
  EXPECT_EQ(display_width("e\u0301"), 1u);  // e and a combining accent
  EXPECT_EQ(display_width("京都"), 4u);
  EXPECT_EQ(display_width("ｶﾀｶﾅ"), 4u);  // half-width
  EXPECT_EQ(display_width("か\u3099"), 2u);
  EXPECT_EQ(display_width("한국"), 4u);
  EXPECT_EQ(display_width("🗾"), 2u);
}

TEST(output, one_line_takes_control_characters_away) {
  EXPECT_EQ(one_line("a\nb\tc", 100), "a b c");
  EXPECT_EQ(one_line("\x1b[31mred", 100), " [31mred");
  EXPECT_EQ(one_line("\u009b2J", 100), " 2J");  // the one-character form of ESC [
  EXPECT_EQ(one_line("a\xFFz", 100), "a\uFFFDz");
}

TEST(output, one_line_cuts_by_width_not_by_bytes) {
  EXPECT_EQ(one_line("abcdef", 6), "abcdef");
  EXPECT_EQ(one_line("abcdefg", 6), "abcde…");
  EXPECT_EQ(one_line("京都大阪", 8), "京都大阪");
  EXPECT_EQ(one_line("京都大阪", 7), "京都大…");
  EXPECT_EQ(one_line("京都大阪", 6), "京都…");
  for (std::size_t width = 1; width < 9; ++width) {
    EXPECT_LE(display_width(one_line("a京b都c", width)), width);
  }
}

TEST(output, columns_line_up_with_wide_characters) {
  text_table table({{"NAME"}, {"COUNT", text_table::align::right}, {"NOTE"}});
  table.add({"京都", "7", "x"});
  table.add({"Tokyo", "12345678", ""});
  std::ostringstream out;
  table.print(out);
  EXPECT_EQ(out.str(),
            "NAME      COUNT  NOTE\n"
            "京都          7  x\n"
            "Tokyo  12345678  \n");
}

TEST(output, durations_have_two_units_at_most) {
  EXPECT_EQ(duration_text(-1), "0s");
  EXPECT_EQ(duration_text(59.9), "59s");
  EXPECT_EQ(duration_text(60), "1m");
  EXPECT_EQ(duration_text(250), "4m 10s");
  EXPECT_EQ(duration_text(3600), "1h");
  EXPECT_EQ(duration_text(7500), "2h 5m");
  EXPECT_EQ(duration_text(3 * 86400 + 4 * 3600 + 59), "3d 4h");
}

}  // namespace
}  // namespace rowrunner
