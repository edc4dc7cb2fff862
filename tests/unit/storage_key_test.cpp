#include <gtest/gtest.h>

#include <rowrunner/bad_input.hpp>
#include <string>

#include "common/storage/key.hpp"

namespace rowrunner::storage {
namespace {

TEST(storage_key, that_names_a_file) {
  for (const std::string& key :
       {std::string("a"), std::string("a/b/c.png"), std::string("京都/金閣寺.png"),
        std::string("a b"), std::string("..."), std::string("a..b/..c"), std::string(".hidden"),
        std::string("a?b#c%2F"), std::string("C:/x"), std::string(255, 'x')}) {
    EXPECT_NO_THROW(check_key(key)) << key;
  }
  std::string longest;
  while (longest.size() < 896) longest += "abc/";
  EXPECT_NO_THROW(check_key(longest + "abcd"));
}

TEST(storage_key, that_leads_astray) {
  using std::string_literals::operator""s;
  for (const std::string& key :
       {""s,          "/"s,    "/a"s,         "/etc/passwd"s,  "//a"s,
        "."s,         ".."s,   "../a"s,       "a/.."s,         "a/../b"s,
        "a/./b"s,     "./a"s,  "a//b"s,       "a/"s,           "a\\b"s,
        "..\\a"s,     "a\0b"s, "a\nb"s,       "a\x7f"s,        "a\x1b[0m"s,
        "a\xc2\x85"s, "\xff"s, "a/\xc0\xaf"s, "\xed\xa0\x80"s, "a\xe4\xba"s}) {
    EXPECT_THROW(check_key(key), bad_input) << key;
  }
  std::string longest;
  while (longest.size() < 896) longest += "abc/";
  EXPECT_THROW(check_key(longest + "abcde"), bad_input);
  EXPECT_THROW(check_key(std::string(256, 'x')), bad_input);
}

TEST(storage_key, as_part_of_a_url) {
  EXPECT_EQ(url_path("京/a b?.png"), "%E4%BA%AC/a%20b%3F.png");
}

}  // namespace
}  // namespace rowrunner::storage
