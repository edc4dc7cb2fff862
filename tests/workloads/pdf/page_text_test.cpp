#include "workloads/pdf/page_text.hpp"

#include <gtest/gtest.h>

namespace rowrunner::pdf {
namespace {

TEST(page_text, spaces_between_japanese_characters_are_removed) {
  EXPECT_EQ(without_japanese_spaces("東京 都 の 天気"), "東京都の天気");
  EXPECT_EQ(without_japanese_spaces("カ タ カ ナ"), "カタカナ");
  EXPECT_EQ(without_japanese_spaces("はい 、 そう です 。"), "はい、そうです。");
  EXPECT_EQ(without_japanese_spaces("「 東京 」"), "「東京」");
}

TEST(page_text, spaces_of_other_scripts_stay) {
  EXPECT_EQ(without_japanese_spaces("two words"), "two words");
  EXPECT_EQ(without_japanese_spaces("東京 Tower の 高さ"), "東京 Tower の高さ");
  EXPECT_EQ(without_japanese_spaces("2026 年 11 月"), "2026 年 11 月");
  EXPECT_EQ(without_japanese_spaces("東京 "), "東京 ");
  EXPECT_EQ(without_japanese_spaces(""), "");
}

TEST(page_text, line_ends_stay) {
  EXPECT_EQ(without_japanese_spaces("東 京\n大 阪"), "東京\n大阪");
}

TEST(page_text, broken_bytes_are_characters_of_their_own) {
  EXPECT_EQ(without_japanese_spaces("\xff \xfe"), "\xff \xfe");
  EXPECT_EQ(count_characters("\xff \xfe"), 2);
}

TEST(page_text, words_and_characters_are_counted) {
  EXPECT_EQ(count_words(""), 0);
  EXPECT_EQ(count_words("  one two\n three　四 "), 4);
  EXPECT_EQ(count_characters("東京 Tower\n"), 7);
}

TEST(page_text, is_tidied) {
  EXPECT_EQ(tidy("\n\n a  \n\n\n\nb\n\f"), " a\n\nb");
  EXPECT_EQ(tidy(" \n"), "");
  EXPECT_EQ(tidy("voil\xc3\xa0 \n"), "voil\xc3\xa0");
}

}  // namespace
}  // namespace rowrunner::pdf
