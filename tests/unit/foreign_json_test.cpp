#include "common/foreign_json.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rowrunner {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

std::string complaint(std::string_view text, const json_limits& allowed = {}) {
  try {
    parse_foreign_json(text, allowed);
  } catch (const foreign_json_error& why) {
    return why.what();
  }
  return "no error";
}

std::string repeated(std::size_t count, std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < count; ++i) out += text;
  return out;
}

TEST(foreign_json, is_what_json_is) {
  const std::string text = R"({"a":[1,-2,3.5,"x",true,null,{}],"京":{"b":[[]]}})";
  EXPECT_EQ(parse_foreign_json(text), json::parse(text));
  EXPECT_EQ(parse_foreign_json("7"), 7);
}

TEST(foreign_json, says_what_is_wrong) {
  for (const char* text : {"", " ", "{", "[1,]", "nul", "{\"a\"}", "1 2", "\"\xff\"", "1e999"}) {
    EXPECT_THAT(complaint(text), HasSubstr("is not JSON")) << text;
  }
}

TEST(foreign_json, each_limit_holds_exactly) {
  json_limits allowed;
  allowed.bytes = 64;
  allowed.depth = 3;
  allowed.elements = 8;
  EXPECT_EQ(complaint(std::string(63, ' ') + "1", allowed), "no error");
  EXPECT_EQ(complaint(std::string(64, ' ') + "1", allowed), "is larger than 64 bytes");
  EXPECT_EQ(complaint(R"([{"a":[]}])", allowed), "no error");
  EXPECT_EQ(complaint(R"([{"a":[[]]}])", allowed), "is nested deeper than 3");
  EXPECT_EQ(complaint(R"([{"a":{"b":{}}}])", allowed), "is nested deeper than 3");
  EXPECT_EQ(complaint("[1,2,3,4,5,6,7]", allowed), "no error");
  EXPECT_EQ(complaint("[1,2,3,4,5,6,7,8]", allowed), "has more than 8 values");
  EXPECT_EQ(complaint("[[],[],[],{},[],[],[],[]]", allowed), "has more than 8 values");
}

// What comes behind the limit is not even read: it is no JSON.
TEST(foreign_json, stops_at_the_first_value_beyond_a_limit) {
  json_limits allowed;
  allowed.elements = 100;
  EXPECT_EQ(complaint("[" + repeated(100, "[],") + "\xff\xff", allowed),
            "has more than 100 values");
  EXPECT_EQ(complaint(repeated(33, "[") + "\xff\xff"), "is nested deeper than 32");
}

TEST(foreign_json, may_be_something_else) {
  EXPECT_EQ(foreign_json_or_null("<html>"), nullptr);
  EXPECT_EQ(foreign_json_or_null(repeated(1000, "[")), nullptr);
  EXPECT_EQ(foreign_json_or_null("[1]"), json::parse("[1]"));
}

TEST(foreign_json, members_of_any_type_are_text) {
  const json object = json::parse(R"({"s":"a b","n":5,"o":{"x":[1]},"z":null,"b":true})");
  EXPECT_EQ(text_member(object, "s"), "a b");
  EXPECT_EQ(text_member(object, "n"), "5");
  EXPECT_EQ(text_member(object, "o"), R"({"x":[1]})");
  EXPECT_EQ(text_member(object, "b"), "true");
  EXPECT_EQ(text_member(object, "z"), "");
  EXPECT_EQ(text_member(object, "none"), "");
  EXPECT_EQ(text_member(json::array(), "s"), "");
  EXPECT_EQ(text_member(nullptr, "s"), "");
}

}  // namespace
}  // namespace rowrunner
