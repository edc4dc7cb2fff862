#include "worker/line_cursor.hpp"

#include <gtest/gtest.h>

namespace rowrunner {
namespace {

using namespace std::chrono_literals;
const line_cursor::clock::time_point start = line_cursor::clock::time_point{} + 1h;

TEST(line_cursor, starts_at_the_front_then_behind_the_last_place) {
  line_cursor cursor;
  EXPECT_EQ(cursor.start(start), place{});
  cursor.saw(10, 10, {0, 10}, start, start);
  EXPECT_EQ(cursor.start(start + 1ms), (place{0, 10}));
}

TEST(line_cursor, the_end_of_the_line_leads_back_to_the_front) {
  line_cursor cursor;
  cursor.start(start);
  cursor.saw(10, 10, {0, 10}, start, start);
  cursor.start(start + 1ms);
  cursor.saw(3, 10, {0, 13}, start + 1ms, start + 2ms);
  EXPECT_TRUE(cursor.at_front());
}

TEST(line_cursor, looks_from_the_front_five_times_a_second) {
  line_cursor cursor;
  cursor.start(start);
  cursor.saw(10, 10, {0, 10}, start, start);
  EXPECT_NE(cursor.start(start + 199ms), place{});
  EXPECT_EQ(cursor.start(start + 200ms), place{});
}

TEST(line_cursor, a_slow_look_from_the_front_is_repeated_less_often) {
  line_cursor cursor;
  cursor.start(start);
  cursor.saw(10, 10, {0, 10}, start, start + 100ms);
  EXPECT_NE(cursor.start(start + 2000ms), place{});
  EXPECT_EQ(cursor.start(start + 2100ms), place{});
}

TEST(line_cursor, who_shares_the_line_with_others_looks_from_the_front_less_often_if_it_is_slow) {
  line_cursor cursor;
  cursor.shared_by(4);
  cursor.start(start);
  cursor.saw(10, 10, {0, 10}, start, start + 10ms);
  EXPECT_NE(cursor.start(start + 800ms), place{});
  EXPECT_EQ(cursor.start(start + 810ms), place{});
  // But not so seldom that what fell behind waits for long.
  cursor.shared_by(400);
  cursor.saw(10, 10, {0, 15}, start + 810ms, start + 820ms);
  EXPECT_NE(cursor.start(start + 2810ms), place{});
  EXPECT_EQ(cursor.start(start + 2820ms), place{});
  cursor.shared_by(4);
  // A quick look stays at five times a second.
  cursor.saw(10, 10, {0, 20}, start + 2820ms, start + 2821ms);
  EXPECT_NE(cursor.start(start + 3020ms), place{});
  EXPECT_EQ(cursor.start(start + 3021ms), place{});
}

TEST(line_cursor, a_full_batch_before_the_point_reached_is_followed_by_another_look_there) {
  line_cursor cursor;
  cursor.start(start);
  cursor.saw(10, 10, {0, 1000}, start, start);
  EXPECT_EQ(cursor.start(start + 300ms), place{});
  cursor.saw(10, 10, {-5, 2000}, start + 300ms, start + 301ms);
  EXPECT_EQ(cursor.start(start + 302ms), place{});
}

TEST(line_cursor, skip_passes_over_one_place) {
  line_cursor cursor;
  cursor.start(start);
  cursor.saw(10, 10, {0, 10}, start, start);
  cursor.skip({0, 11});
  EXPECT_EQ(cursor.start(start + 1ms), (place{0, 11}));
}

}  // namespace
}  // namespace rowrunner
