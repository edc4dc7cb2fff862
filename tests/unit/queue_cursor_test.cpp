#include "worker/queue_cursor.hpp"

#include <gtest/gtest.h>

namespace rowrunner {
namespace {

using namespace std::chrono_literals;
const queue_cursor::clock::time_point start = queue_cursor::clock::time_point{} + 1h;

TEST(queue_cursor, starts_at_the_front_then_behind_the_last_entry) {
  queue_cursor cursor;
  EXPECT_EQ(cursor.start(start), queue_position{});
  cursor.saw(10, 10, {0, 10}, start, start);
  EXPECT_EQ(cursor.start(start + 1ms), (queue_position{0, 10}));
}

TEST(queue_cursor, the_end_of_the_queue_leads_back_to_the_front) {
  queue_cursor cursor;
  cursor.start(start);
  cursor.saw(10, 10, {0, 10}, start, start);
  cursor.start(start + 1ms);
  cursor.saw(3, 10, {0, 13}, start + 1ms, start + 2ms);
  EXPECT_TRUE(cursor.at_front());
}

TEST(queue_cursor, starts_from_the_front_five_times_a_second) {
  queue_cursor cursor;
  cursor.start(start);
  cursor.saw(10, 10, {0, 10}, start, start);
  EXPECT_NE(cursor.start(start + 199ms), queue_position{});
  EXPECT_EQ(cursor.start(start + 200ms), queue_position{});
}

/// A claim that starts then, takes so long and sees as much as it asked for; says whether it
/// started from the front.
bool claims_from_front(queue_cursor& cursor, std::chrono::milliseconds at,
                       std::chrono::milliseconds took) {
  static std::int64_t last = 0;
  const bool from_front = cursor.start(start + at) == queue_position{};
  cursor.saw(10, 10, {0, ++last}, start + at, start + at + took);
  return from_front;
}

TEST(queue_cursor, a_claim_from_the_front_that_is_slow_each_time_is_repeated_less_often) {
  queue_cursor cursor;
  EXPECT_TRUE(claims_from_front(cursor, 0ms, 100ms));
  EXPECT_TRUE(claims_from_front(cursor, 300ms, 100ms)) << "it was slow for the first time";
  EXPECT_FALSE(claims_from_front(cursor, 2399ms, 0ms));
  EXPECT_TRUE(claims_from_front(cursor, 2400ms, 0ms));
}

TEST(queue_cursor, a_claim_from_the_front_that_is_slow_once_is_repeated_as_before) {
  queue_cursor cursor;
  EXPECT_TRUE(claims_from_front(cursor, 0ms, 0ms));
  EXPECT_TRUE(claims_from_front(cursor, 200ms, 100ms));
  EXPECT_FALSE(claims_from_front(cursor, 499ms, 0ms));
  EXPECT_TRUE(claims_from_front(cursor, 500ms, 0ms));
}

TEST(queue_cursor, where_all_claims_are_slow_the_front_is_looked_at_as_often) {
  queue_cursor cursor;
  EXPECT_TRUE(claims_from_front(cursor, 0ms, 100ms));
  for (auto at = 100ms; at < 300ms; at += 20ms) claims_from_front(cursor, at, 100ms);
  for (auto at = 300ms; at < 1500ms; at += 305ms) {
    EXPECT_TRUE(claims_from_front(cursor, at, 105ms)) << at.count();
    EXPECT_FALSE(claims_from_front(cursor, at + 304ms, 100ms)) << at.count();
  }
}

TEST(queue_cursor, with_other_workers_it_starts_from_the_front_less_often_if_that_is_slow) {
  queue_cursor cursor;
  cursor.shared_by(4);
  cursor.start(start);
  cursor.saw(10, 10, {0, 10}, start, start + 10ms);
  EXPECT_NE(cursor.start(start + 800ms), queue_position{});
  EXPECT_EQ(cursor.start(start + 810ms), queue_position{});
  // But not so seldom that what fell behind waits for long.
  cursor.shared_by(400);
  cursor.saw(10, 10, {0, 15}, start + 810ms, start + 820ms);
  EXPECT_NE(cursor.start(start + 2810ms), queue_position{});
  EXPECT_EQ(cursor.start(start + 2820ms), queue_position{});
  cursor.shared_by(4);
  // A quick claim stays at five times a second.
  cursor.saw(10, 10, {0, 20}, start + 2820ms, start + 2821ms);
  EXPECT_NE(cursor.start(start + 3020ms), queue_position{});
  EXPECT_EQ(cursor.start(start + 3021ms), queue_position{});
}

TEST(queue_cursor, a_full_batch_before_the_point_reached_is_followed_by_another_claim_there) {
  queue_cursor cursor;
  cursor.start(start);
  cursor.saw(10, 10, {0, 1000}, start, start);
  EXPECT_EQ(cursor.start(start + 300ms), queue_position{});
  cursor.saw(10, 10, {-5, 2000}, start + 300ms, start + 301ms);
  EXPECT_EQ(cursor.start(start + 302ms), queue_position{});
}

}  // namespace
}  // namespace rowrunner
