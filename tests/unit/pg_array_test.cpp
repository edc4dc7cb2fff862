#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

#include "common/pg/array.hpp"
#include "common/pg/error.hpp"

namespace rowrunner::pg {
namespace {

using strings = std::vector<std::string>;
using optional_strings = std::vector<std::optional<std::string>>;
using integers = std::vector<std::int64_t>;
using doubles = std::vector<double>;

TEST(pg_array, is_empty_braces_without_items) {
  EXPECT_EQ(array(strings{}), "{}");
  EXPECT_EQ(array(optional_strings{}), "{}");
  EXPECT_EQ(array(integers{}), "{}");
  EXPECT_EQ(array(std::vector<bool>{}), "{}");
  EXPECT_EQ(array(doubles{}), "{}");
}

TEST(pg_array, quotes_every_string) {
  EXPECT_EQ(array(strings{"a", "", "NULL", "b c"}), R"({"a","","NULL","b c"})");
}

TEST(pg_array, escapes_quotes_and_backslashes_only) {
  EXPECT_EQ(array(strings{R"(say "hi")", R"(c:\x)", "{,}", "'"}),
            R"({"say \"hi\"","c:\\x","{,}","'"})");
}

TEST(pg_array, tells_null_from_the_word_null) {
  EXPECT_EQ(array(optional_strings{std::nullopt, "NULL", "x"}), R"({NULL,"NULL","x"})");
}

TEST(pg_array, reads_the_numbers_of_an_answer) {
  EXPECT_EQ(read_int_array(""), integers{});
  EXPECT_EQ(read_int_array("{}"), integers{});
  EXPECT_EQ(read_int_array("{3,-1,9223372036854775807}"), (integers{3, -1, 9223372036854775807}));
  for (const char* bad :
       {"{", "3", "{3", "{a}", "{3 }", "{3;4}", "{NULL}", "{99999999999999999999}"}) {
    EXPECT_THROW(read_int_array(bad), error) << bad;
  }
}

TEST(pg_array, renders_the_extreme_integers) {
  EXPECT_EQ(array(integers{0, std::numeric_limits<std::int64_t>::min(),
                           std::numeric_limits<std::int64_t>::max()}),
            "{0,-9223372036854775808,9223372036854775807}");
}

TEST(pg_array, renders_booleans) { EXPECT_EQ(array(std::vector<bool>{true, false}), "{t,f}"); }

TEST(pg_array, renders_doubles_that_read_back_the_same) {
  EXPECT_EQ(array(doubles{0.1, -1.5, 1e300}), "{0.1,-1.5,1e+300}");
  constexpr double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(array(doubles{infinity, -infinity, std::numeric_limits<double>::quiet_NaN()}),
            "{Infinity,-Infinity,NaN}");
}

}  // namespace
}  // namespace rowrunner::pg
