#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/errors.hpp"
#include "workloads/spot_images/names.hpp"

namespace rowrunner::spot_images {
namespace {

const std::string composed = "\xE3\x81\x8C";                // が
const std::string decomposed = "\xE3\x81\x8B\xE3\x82\x99";  // か and a combining mark

std::string complaint_of(auto call) {
  try {
    call();
  } catch (const bad_input& error) {
    return error.what();
  }
  return "";
}

TEST(nfc, composes_what_can_be_composed) {
  EXPECT_EQ(nfc(decomposed), composed);
  EXPECT_EQ(nfc(composed), composed);
  EXPECT_EQ(nfc("e\xCC\x81"), "\xC3\xA9");
  EXPECT_EQ(nfc("\xE1\x84\x92\xE1\x85\xA1\xE1\x86\xAB"), "\xED\x95\x9C");  // Hangul
  EXPECT_EQ(nfc("\xE2\x84\xAB"), "\xC3\x85");                              // the angstrom sign
}

TEST(nfc, leaves_all_else_as_it_is) {
  EXPECT_EQ(nfc(""), "");
  EXPECT_EQ(nfc("Café de Kyōto 金閣寺 🏯"), "Café de Kyōto 金閣寺 🏯");
  EXPECT_EQ(nfc("ｶﾞ"), "ｶﾞ");  // form KC would change it
}

TEST(nfc, refuses_what_is_no_text) {
  EXPECT_EQ(complaint_of([] { nfc("a\xFF", "name"); }), "name: broken UTF-8 at byte 1");
  EXPECT_THAT(complaint_of([] { nfc(std::string_view("a\0b", 3), "name"); }),
              ::testing::HasSubstr("name: NUL character at byte 1"));
}

TEST(nfc, keys_have_a_length_in_characters) {
  std::string twohundred;
  for (int i = 0; i < 200; ++i) twohundred += decomposed;
  EXPECT_EQ(checked_spot_name(twohundred).size(), 200 * composed.size());
  EXPECT_EQ(complaint_of([&] { checked_spot_name(twohundred + "x"); }),
            "spot_name is longer than 200 characters");
  EXPECT_EQ(complaint_of([] { checked_spot_name(std::string(3'000'000, 'x'), "here"); }),
            "here is longer than 200 characters");
  EXPECT_EQ(complaint_of([] { checked_plan_id(std::string(101, 'x')); }),
            "plan_id is longer than 100 characters");
  EXPECT_EQ(complaint_of([] { checked_plan_id(""); }), "plan_id is empty");
  EXPECT_EQ(complaint_of([] { checked_plan_id("a\nb"); }), "plan_id contains a control character");
}

}  // namespace
}  // namespace rowrunner::spot_images
