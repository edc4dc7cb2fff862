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

}  // namespace
}  // namespace rowrunner
