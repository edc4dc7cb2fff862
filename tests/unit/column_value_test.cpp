#include <gtest/gtest.h>

#include <cmath>
#include <rowrunner/column_value.hpp>

namespace rowrunner::detail {
namespace {

using namespace std::chrono;
using namespace std::chrono_literals;
using time = system_clock::time_point;

template <typename T>
T as(const std::optional<std::string>& value) {
  return column_as<T>("c", value);
}

template <typename T>
std::string refusal(const std::optional<std::string>& value) {
  try {
    as<T>(value);
  } catch (const bad_column& e) {
    return e.what();
  }
  return "";
}

TEST(column_value, numbers_booleans_text_and_json_are_read_as_the_server_writes_them) {
  EXPECT_EQ(as<int>("-12"), -12);
  EXPECT_EQ(as<std::int64_t>("9223372036854775807"), INT64_MAX);
  EXPECT_EQ(as<double>("1.50"), 1.5);
  EXPECT_EQ(as<double>("1e3"), 1000);
  EXPECT_TRUE(std::isnan(as<double>("NaN")));
  EXPECT_TRUE(std::isinf(as<double>("-Infinity")));
  EXPECT_TRUE(as<bool>("t"));
  EXPECT_FALSE(as<bool>("f"));
  EXPECT_EQ(as<std::string>(""), "");
  EXPECT_EQ(as<nlohmann::json>("{\"k\": [1]}").at("k").at(0), 1);
}

TEST(column_value, null_is_an_empty_optional) {
  EXPECT_EQ(as<std::optional<int>>(std::nullopt), std::nullopt);
  EXPECT_EQ(as<std::optional<int>>("3"), 3);
  EXPECT_EQ(refusal<int>(std::nullopt),
            "column c is NULL, and was asked for as a 32-bit integer: ask for a std::optional");
}

TEST(column_value, times_are_read_with_their_offset) {
  const time noon = sys_days{2024y / 2 / 29} + 12h;
  EXPECT_EQ(as<time>("2024-02-29 12:00:00+00"), noon);
  EXPECT_EQ(as<time>("2024-02-29 21:00:00+09"), noon);
  EXPECT_EQ(as<time>("2024-02-29 06:30:00-05:30"), noon);
  EXPECT_EQ(as<time>("2024-02-29 12:00:00.000001"), noon + 1us);
  EXPECT_EQ(as<time>("2024-02-29"), noon - 12h);
  EXPECT_EQ(as<time>("0099-12-31"), time(sys_days{99y / 12 / 31}));
}

TEST(column_value, what_does_not_fit_is_refused_with_column_type_and_value) {
  EXPECT_EQ(refusal<int>("2147483648"),
            "column c is \"2147483648\", which is not a 32-bit integer");
  EXPECT_EQ(refusal<int>("12 "), "column c is \"12 \", which is not a 32-bit integer");
  EXPECT_EQ(refusal<unsigned>("-1"), "column c is \"-1\", which is not a 32-bit integer");
  EXPECT_EQ(refusal<double>(""), "column c is \"\", which is not a number");
  EXPECT_EQ(refusal<bool>("yes"), "column c is \"yes\", which is not a boolean");
  EXPECT_EQ(refusal<nlohmann::json>("{"), "column c is \"{\", which is not JSON");
  for (const char* text : {"infinity", "2023-02-29", "2024-01-01 25", "2024-01-01 12:00:00 BC",
                           "01/02/2024", "2024-01-01 12:00:00+", ""}) {
    EXPECT_EQ(refusal<time>(text),
              "column c is \"" + std::string{text} + "\", which is not a time");
  }
}

}  // namespace
}  // namespace rowrunner::detail
