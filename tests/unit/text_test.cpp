#include "common/text.hpp"

#include <gtest/gtest.h>

#include "common/errors.hpp"

namespace rowrunner {
namespace {

using namespace std::string_literals;

TEST(text, accepts_utf8_of_every_length) {
  EXPECT_TRUE(valid_utf8(""));
  EXPECT_TRUE(valid_utf8("plain"));
  EXPECT_TRUE(valid_utf8("é 京都 🗾"));
  EXPECT_TRUE(valid_utf8("\xF4\x8F\xBF\xBF"));  // U+10FFFF, the last one
  EXPECT_TRUE(valid_utf8("a\0b"s));             // NUL is UTF-8; PostgreSQL is what cannot have it
}

TEST(text, refuses_broken_utf8) {
  for (const std::string_view broken :
       {"\x80", "\xC0\x80", "\xC1\xBF", "\xE0\x80\x80", "\xED\xA0\x80", "\xED\xBF\xBF",
        "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFF", "\xE4\xBA", "\xE4\xBA\x41", "ok\xC3"}) {
    EXPECT_FALSE(valid_utf8(broken)) << ::testing::PrintToString(broken);
  }
}

std::string message_for(std::string_view value) {
  try {
    check_text("column recipient", value);
  } catch (const bad_input& error) {
    return error.what();
  }
  return "";
}

TEST(text, check_text_says_what_is_wrong_and_where) {
  EXPECT_EQ(message_for("京都"), "");
  EXPECT_EQ(message_for("ab\0c"s),
            "column recipient: NUL character at byte 2, which PostgreSQL cannot store in a text");
  EXPECT_EQ(message_for("京\xFF"), "column recipient: broken UTF-8 at byte 3");
}

TEST(text, printable_replaces_what_cannot_be_stored) {
  EXPECT_EQ(printable("fine", 100), "fine");
  EXPECT_EQ(printable("a\0b"s, 100), "a\uFFFDb");
  EXPECT_EQ(printable("a\xFFz", 100), "a\uFFFDz");
  EXPECT_EQ(printable("\xE4\xBA", 100), "\uFFFD\uFFFD");
  EXPECT_TRUE(valid_utf8(printable("\xF0\x9F\x97", 100)));
}

TEST(text, printable_cuts_between_characters) {
  EXPECT_EQ(printable("京都", 6), "京都");
  EXPECT_EQ(printable("京都", 5), "京");
  EXPECT_EQ(printable("京都", 2), "");
  EXPECT_EQ(printable("abc", 0), "");
  EXPECT_EQ(printable("a\xFF", 3), "a");  // the replacement would not fit
}

TEST(text, visible_escapes_as_json_does) {
  EXPECT_EQ(visible("京都 é\u00A0~ 🗼"), "京都 é\u00A0~ 🗼");
  EXPECT_EQ(visible("a\tb\x7f\x1b[31m"), "a\\u0009b\\u007f\\u001b[31m");
  EXPECT_EQ(visible("\xC2\x80\xC2\x9F\xC2\xA0"), "\\u0080\\u009f\xC2\xA0");
  EXPECT_EQ(visible("\u202E\u2066\u200B\u2028\uFEFF"), "\\u202e\\u2066\\u200b\\u2028\\ufeff");
  EXPECT_EQ(visible("\U000E0041"), "\\udb40\\udc41");
  EXPECT_EQ(visible(std::string("a\0b", 3)), "a\\u0000b");
  EXPECT_EQ(visible("a\x9bz"), "a\uFFFDz") << "a C1 byte that is no UTF-8";
}

TEST(text, knows_a_uuid) {
  EXPECT_TRUE(is_uuid("01890a5d-ac96-774b-bcce-b302099a8057"));
  EXPECT_TRUE(is_uuid("01890A5D-AC96-774B-BCCE-B302099A8057"));
  for (const std::string_view other :
       {"", "7", "01890a5dac96774bbcceb302099a8057", "01890a5d-ac96-774b-bcce-b302099a805g",
        "01890a5d-ac96-774b-bcce-b302099a80571", "{1890a5d-ac96-774b-bcce-b302099a8057}"}) {
    EXPECT_FALSE(is_uuid(other)) << other;
  }
}

}  // namespace
}  // namespace rowrunner
