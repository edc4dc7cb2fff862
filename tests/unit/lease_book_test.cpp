#include "worker/lease_book.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rowrunner {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;
using namespace std::chrono_literals;

const lease_book::time start = lease_book::time{} + 1h;

TEST(lease_book, asks_for_a_heartbeat_a_third_of_the_way) {
  lease_book book;
  EXPECT_FALSE(book.heartbeat_due(start + 1h));
  book.open(1, 2, start, 9s);
  EXPECT_FALSE(book.heartbeat_due(start + 2999ms));
  EXPECT_TRUE(book.heartbeat_due(start + 3s));
  book.extended({1}, {1}, start + 3s);
  EXPECT_FALSE(book.heartbeat_due(start + 5s));
}

TEST(lease_book, a_claim_whose_answer_took_long_is_extended_at_once) {
  lease_book book;
  book.open(1, 1, start, 9s);
  book.extended({1}, {1}, start + 8s);
  book.open(2, 1, start + 5s, 9s);  // answered at 8.5 s
  EXPECT_TRUE(book.heartbeat_due(start + 8500ms));
}

TEST(lease_book, a_heartbeat_says_nothing_of_leases_that_it_did_not_name) {
  lease_book book;
  book.open(1, 1, start, 9s);
  book.open(2, 1, start, 9s);
  EXPECT_THAT(book.ending({2}, 7), ElementsAre(2));
  // Sent without the second, which is back before the answer; a third comes meanwhile.
  const auto asked = book.to_extend();
  book.not_ended({2});
  book.extended(asked, {1}, start + 4s);
  EXPECT_TRUE(book.heartbeat_due(start + 4s));
  book.extended({1, 2}, {1, 2}, start + 4s);
  EXPECT_FALSE(book.heartbeat_due(start + 4s));
  book.open(3, 1, start + 1s, 9s);
  EXPECT_TRUE(book.heartbeat_due(start + 4s));
}

TEST(lease_book, a_claim_that_is_answered_after_half_of_its_lease_is_too_late) {
  EXPECT_TRUE(lease_book::in_time(start, 10s, start + 4999ms));
  EXPECT_FALSE(lease_book::in_time(start, 10s, start + 5s));
}

TEST(lease_book, a_lease_that_is_not_answered_is_lost_and_forgotten) {
  lease_book book;
  book.open(1, 1, start, 9s);
  book.open(2, 1, start, 9s);
  EXPECT_THAT(book.extended({1, 2}, {2}, start + 3s), ElementsAre(1));
  EXPECT_THAT(book.to_extend(), ElementsAre(2));
}

TEST(lease_book, gives_up_before_the_server_does_and_says_so_once) {
  lease_book book;
  book.open(1, 1, start, 10s);
  EXPECT_THAT(book.running_out(start + 8999ms), IsEmpty());
  EXPECT_TRUE(book.usable(1));
  EXPECT_THAT(book.running_out(start + 9s), ElementsAre(1));
  EXPECT_FALSE(book.usable(1));
  EXPECT_FALSE(book.usable(2));
  EXPECT_THAT(book.running_out(start + 20s), IsEmpty());
}

TEST(lease_book, a_heartbeat_counts_from_when_it_was_sent) {
  lease_book book;
  book.open(1, 1, start, 10s);
  book.extended({1}, {1}, start + 4s);  // the answer may have come much later
  EXPECT_THAT(book.running_out(start + 12s), IsEmpty());
  EXPECT_THAT(book.running_out(start + 13s), ElementsAre(1));
}

TEST(lease_book, a_lease_ends_with_its_last_job) {
  lease_book book;
  book.open(1, 3, start, 10s);
  EXPECT_THAT(book.ending({1, 1}, 7), IsEmpty());
  book.settled({1, 1}, 7);
  EXPECT_THAT(book.ending({1}, 7), ElementsAre(1));
  book.settled({1}, 7);
  EXPECT_TRUE(book.empty());
}

// After a failover the new server may not have what the old one acknowledged.
TEST(lease_book, a_lease_whose_jobs_were_settled_on_another_server_is_left_to_expire) {
  lease_book book;
  book.open(1, 2, start, 10s);
  book.settled({1}, 7);
  EXPECT_THAT(book.ending({1}, 8), IsEmpty());
  EXPECT_THAT(book.ending({1}, 7), ElementsAre(1));
  book.open(2, 4, start, 10s);
  book.settled({2, 2}, 7);
  book.settled({2}, 8);
  EXPECT_THAT(book.ending({2}, 8), IsEmpty());
  book.settled({2}, 8);
  EXPECT_FALSE(book.holds(2));
  book.open(3, 2, start, 10s);
  book.settled({3}, lease_book::unknown_server);
  EXPECT_THAT(book.ending({3}, lease_book::unknown_server), IsEmpty());
}

TEST(lease_book, a_lease_that_is_being_ended_is_extended_if_its_row_is_still_there) {
  lease_book book;
  book.open(1, 1, start, 9s);
  book.open(2, 1, start, 9s);
  book.ending({1, 2}, 7);
  EXPECT_TRUE(book.heartbeat_due(start + 3s));
  EXPECT_THAT(book.being_ended(), ElementsAre(1, 2));
  book.extended_at_their_end({1}, start + 4s);
  EXPECT_TRUE(book.holds(2)) << "it may be locked by its end";
  book.not_ended({1, 2});
  EXPECT_THAT(book.running_out(start + 11s), ElementsAre(2));
  EXPECT_THAT(book.running_out(start + 12s), ElementsAre(1));
}

TEST(lease_book, a_lease_that_is_being_ended_is_neither_extended_nor_lost) {
  lease_book book;
  book.open(1, 1, start, 10s);
  book.open(2, 1, start, 10s);
  const auto asked = book.to_extend();
  EXPECT_THAT(book.ending({1}, 7), ElementsAre(1));
  EXPECT_THAT(book.to_extend(), ElementsAre(2));
  EXPECT_THAT(book.extended(asked, {2}, start + 1s), IsEmpty());
  EXPECT_THAT(book.running_out(start + 10s), ElementsAre(2));
  book.not_ended({1});
  EXPECT_THAT(book.to_extend(), UnorderedElementsAre(1, 2));
  EXPECT_THAT(book.running_out(start + 10s), ElementsAre(1));
}

TEST(lease_book, a_forgotten_lease_is_left_to_expire) {
  lease_book book;
  book.open(1, 2, start, 10s);
  book.forget(1);
  EXPECT_TRUE(book.empty());
  EXPECT_THAT(book.ending({1}, 7), IsEmpty());
  book.settled({1}, 7);
}

TEST(lease_book, each_lease_has_a_length_of_its_own) {
  lease_book book;
  book.open(1, 1, start, 1h);
  book.open(2, 1, start, 3s);
  EXPECT_FALSE(book.heartbeat_due(start + 999ms));
  EXPECT_TRUE(book.heartbeat_due(start + 1s)) << "a third of the shorter one";
  EXPECT_THAT(book.to_extend(), ElementsAre(1, 2)) << "one heartbeat is for all";
  book.extended({1, 2}, {1, 2}, start + 1s);
  EXPECT_THAT(book.running_out(start + 3399ms), IsEmpty());
  EXPECT_THAT(book.running_out(start + 3400ms), ElementsAre(2)) << "a fifth before its end";
  EXPECT_THAT(book.running_out(start + 1h), ElementsAre(1)) << "a second before its end";
  book.ending({2}, 7);
  book.extended_at_their_end({2}, start + 10s);
  book.not_ended({2});
  EXPECT_TRUE(book.heartbeat_due(start + 11s));
}

TEST(lease_book, an_end_waits_for_locks_by_the_shortest_lease_that_it_ends) {
  lease_book book;
  book.open(1, 1, start, 10s);
  book.open(2, 1, start, 2s);
  EXPECT_EQ(book.longest_end({1, 2}), 400ms);
  EXPECT_EQ(book.longest_end({1}), 2s);
  EXPECT_GT(book.longest_end({}), 24h) << "no row of a lease is held";
}

}  // namespace
}  // namespace rowrunner
