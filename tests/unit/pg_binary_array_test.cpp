#include <gtest/gtest.h>

#include "common/pg/binary_array.hpp"

namespace rowrunner::pg {
namespace {

std::string hex(const param& value) {
  std::string out;
  for (const unsigned char c : *value) {
    out += "0123456789abcdef"[c >> 4];
    out += "0123456789abcdef"[c & 0xFU];
  }
  return out;
}

TEST(pg_binary_array, has_the_header_that_the_server_reads_and_then_the_items) {
  const auto ids = uuid_array({"0190a000-0000-7000-8000-00000000000f"});
  EXPECT_TRUE(ids.binary);
  EXPECT_EQ(hex(ids),
            "00000001"  // dimensions
            "00000000"  // no NULLs
            "00000b86"  // uuid
            "00000001"
            "00000001"  // one item, counted from 1
            "00000010"  // 16 bytes
            "0190a000000070008000"
            "00000000000f");
}

TEST(pg_binary_array, numbers_are_signed_and_big_endian) {
  EXPECT_EQ(hex(int_array({-2, 258})),
            "00000001"
            "00000000"
            "00000014"
            "00000002"
            "00000001"
            "00000008"
            "fffffffffffffffe"
            "00000008"
            "0000000000000102");
}

TEST(pg_binary_array, what_is_not_a_uuid_is_refused) {
  EXPECT_THROW(uuid_array({"0190a000-0000-7000-8000-00000000000g"}), std::invalid_argument);
}

}  // namespace
}  // namespace rowrunner::pg
