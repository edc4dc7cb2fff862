#include "common/uuid.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "common/text.hpp"

namespace rowrunner {
namespace {

using clock = uuid_maker::clock;
using std::chrono::milliseconds;

TEST(uuid, has_version_variant_and_time) {
  uuid_maker maker;
  const std::string id = maker.next(clock::time_point(milliseconds(0x017F22E279B0)));
  EXPECT_TRUE(is_uuid(id)) << id;
  EXPECT_EQ(id.substr(0, 15), "017f22e2-79b0-7");
  EXPECT_NE(std::string("89ab").find(id[19]), std::string::npos) << id;
}

TEST(uuid, grows_within_a_millisecond_and_when_the_clock_steps_back) {
  uuid_maker maker;
  const clock::time_point now(milliseconds(1'700'000'000'000));
  std::vector<std::string> ids;
  for (int i = 0; i < 10'000; ++i) ids.push_back(maker.next(now));  // more than the counter holds
  for (int i = 0; i < 100; ++i) ids.push_back(maker.next(now - std::chrono::hours(1)));
  EXPECT_TRUE(std::is_sorted(ids.begin(), ids.end()));
  EXPECT_EQ(std::set<std::string>(ids.begin(), ids.end()).size(), ids.size());
}

TEST(uuid, makers_do_not_repeat_each_other) {
  const clock::time_point now(milliseconds(1'700'000'000'000));
  std::set<std::string> ids;
  for (int i = 0; i < 200; ++i) {
    uuid_maker maker;
    for (int j = 0; j < 50; ++j) ids.insert(maker.next(now));
  }
  EXPECT_EQ(ids.size(), 10'000u);
}

TEST(uuid, text_and_bytes_are_each_others_inverse) {
  const std::string text = "0190a000-00ff-7123-89ab-cdef0123456f";
  std::string bytes(uuid_size, '\0');
  uuid_bytes(text, bytes.data());
  EXPECT_EQ(bytes.substr(0, 6), std::string("\x01\x90\xa0\x00\x00\xff", 6));
  EXPECT_EQ(uuid_text(bytes), text);
}

TEST(uuid, what_the_server_would_not_write_so_has_no_bytes) {
  char bytes[uuid_size];
  for (const char* wrong :
       {"", "0190a000-0000-7000-8000-00000000000", "0190a000-0000-7000-8000-0000000000000f",
        "0190a000-0000-7000-8000-00000000000g", "0190a00-00000-7000-8000-00000000000f",
        "0190A000-0000-7000-8000-00000000000f"}) {
    EXPECT_THROW(uuid_bytes(wrong, bytes), std::invalid_argument) << wrong;
  }
}

}  // namespace
}  // namespace rowrunner
