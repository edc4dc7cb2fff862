#include "common/storable.hpp"

#include <gtest/gtest.h>

namespace rowrunner {
namespace {

using namespace std::string_literals;

TEST(storable, replaces_what_postgresql_cannot_store_and_nothing_else) {
  EXPECT_EQ(storable("a\0b"s), "a\uFFFDb");
  EXPECT_EQ(storable("a\xff\xc3"s), "a\uFFFD\uFFFD");
  EXPECT_EQ(storable("\t\n 金閣寺 \\u0000"s), "\t\n 金閣寺 \\u0000");
}

TEST(storable, replaces_in_all_texts_and_names_of_json) {
  nlohmann::json value;
  value["list"] = {1, "x\0"s, nullptr, {{"in\0ner"s, "\xfe"s}}};
  const auto got = storable_json(value);
  EXPECT_EQ(got.dump(), R"({"list":[1,"x�",null,{"in�ner":"�"}]})");
  EXPECT_EQ(storable_json(nlohmann::json::parse("{", nullptr, false)), "<discarded>");
}

// It would take the whole worker along, by its stack.
TEST(storable, refuses_a_value_that_is_nested_too_deeply) {
  const auto nested = [](std::size_t levels) {
    return nlohmann::json::parse(std::string(levels, '[') + std::string(levels, ']'));
  };
  EXPECT_NO_THROW(storable_json(nested(1000)));
  EXPECT_THROW(storable_json(nested(1002)), std::invalid_argument);
  EXPECT_THROW(storable_json(nested(1'000'000)), std::invalid_argument);
}

}  // namespace
}  // namespace rowrunner
