#include "workloads/scoring/pipeline/channel.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <vector>

#include "workloads/scoring/gathered.hpp"
#include "workloads/scoring/pipeline/call_gate.hpp"

namespace rowrunner::scoring {
namespace {

using ::testing::ElementsAre;

class scoring_channel : public ::testing::Test {
 protected:
  /// What still waits must end before the channel does.
  ~scoring_channel() override {
    items_.close();
    settle();
  }
  void spawn(asio::awaitable<void> work) { asio::co_spawn(io_, std::move(work), asio::detached); }
  asio::awaitable<void> push_all(int from, int to) {
    for (int i = from; i <= to; ++i) {
      co_await items_.push(i);
      pushed_ = i;
    }
  }
  asio::awaitable<void> pop_all() {
    while (const auto item = co_await items_.pop()) popped_.push_back(*item);
    ended_ = true;
  }
  void settle() {
    io_.restart();
    io_.poll();
  }

  asio::io_context io_;
  channel<int> items_{io_.get_executor(), 3};
  std::vector<int> popped_;
  int pushed_ = 0;
  bool ended_ = false;
};

TEST_F(scoring_channel, makes_those_who_add_wait_while_it_is_full) {
  spawn(push_all(1, 10));
  settle();
  EXPECT_EQ(pushed_, 3);
  EXPECT_EQ(items_.size(), 3u);
  spawn(pop_all());
  settle();
  EXPECT_EQ(pushed_, 10);
  EXPECT_EQ(popped_.size(), 10u);
  EXPECT_FALSE(ended_);
}

TEST_F(scoring_channel, hands_out_what_it_has_after_it_was_closed) {
  spawn(push_all(1, 3));
  settle();
  items_.close();
  spawn(pop_all());
  settle();
  EXPECT_THAT(popped_, ElementsAre(1, 2, 3));
  EXPECT_TRUE(ended_);
  EXPECT_TRUE(items_.drained());
}

TEST_F(scoring_channel, takes_what_cannot_wait_beyond_its_bound) {
  spawn(push_all(1, 3));
  settle();
  items_.put(4);
  EXPECT_EQ(items_.size(), 4u);
  EXPECT_EQ(items_.most(), 4u);
  items_.close();
  spawn(pop_all());
  settle();
  EXPECT_THAT(popped_, ElementsAre(1, 2, 3, 4));
}

TEST_F(scoring_channel, wakes_all_who_wait_when_it_closes) {
  spawn(pop_all());
  spawn(pop_all());
  settle();
  items_.close();
  settle();
  EXPECT_TRUE(ended_);
}

TEST_F(scoring_channel, what_is_asked_meanwhile_is_gathered_into_one_statement) {
  std::vector<std::size_t> sizes;
  asio::steady_timer answer(io_, asio::steady_timer::time_point::max());
  const auto send = [&](std::vector<int> all) -> asio::awaitable<std::vector<int>> {
    sizes.push_back(all.size());
    if (sizes.size() == 1) {
      co_await answer.async_wait(asio::as_tuple(asio::use_awaitable));
    }
    for (auto& each : all) each *= 2;
    co_return all;
  };
  const auto together = std::make_shared<gathered<int, int>>(io_.get_executor(), 4, send);
  const auto ask = [&](int number) -> asio::awaitable<void> {
    popped_.push_back(co_await together->ask(number));
  };
  spawn(ask(1));
  settle();
  for (int i = 2; i <= 6; ++i) spawn(ask(i));
  settle();
  EXPECT_THAT(popped_, ElementsAre());
  answer.cancel();
  settle();
  EXPECT_THAT(popped_, ::testing::UnorderedElementsAre(2, 4, 6, 8, 10, 12));
  EXPECT_THAT(sizes, ElementsAre(1, 4, 1));
}

TEST_F(scoring_channel, all_who_may_start_do_so_after_a_pause) {
  call_gate gate(io_.get_executor(), 10);
  int inside = 0, most = 0;
  asio::steady_timer leave(io_, asio::steady_timer::time_point::max());
  const auto call = [&]() -> asio::awaitable<void> {
    const auto pass = co_await gate.enter();
    most = std::max(most, ++inside);
    co_await leave.async_wait(asio::as_tuple(asio::use_awaitable));
    --inside;
  };
  {
    std::optional<call_gate::pass> first;
    const auto refused = [&]() -> asio::awaitable<void> {
      first.emplace(co_await gate.enter());
      reply busy;
      busy.kind = reply_kind::busy;
      busy.after = std::chrono::milliseconds(20);
      first->mark_sent(call_gate::clock::now());
      gate.learn(*first, busy);
    };
    spawn(refused());
    settle();
  }
  EXPECT_EQ(gate.controller().limit(), 7);
  for (int i = 0; i < 20; ++i) spawn(call());
  settle();
  EXPECT_EQ(inside, 0);
  io_.restart();
  while (inside < 7 && io_.run_one_for(std::chrono::seconds(5)) > 0) {
  }
  settle();
  EXPECT_EQ(most, 7);
  while (inside > 0) {
    leave.cancel();
    settle();
  }
}

}  // namespace
}  // namespace rowrunner::scoring
