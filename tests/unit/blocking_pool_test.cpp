#include "worker/blocking_pool.hpp"

#include <gtest/gtest.h>

#include <future>
#include <latch>

namespace rowrunner {
namespace {

TEST(blocking_pool, runs_everything_on_at_most_so_many_threads) {
  std::mutex lock;
  std::set<std::thread::id> threads;
  {
    blocking_pool pool(3);
    std::latch all(50);
    for (int i = 0; i < 50; ++i) {
      pool.post([&] {
        {
          const std::lock_guard hold(lock);
          threads.insert(std::this_thread::get_id());
        }
        all.count_down();
      });
    }
    all.wait();
  }
  EXPECT_LE(threads.size(), 3U);
}

TEST(blocking_pool, a_thread_that_was_given_up_is_replaced_and_not_waited_for) {
  std::promise<void> started, release, other;
  auto let_go = release.get_future().share();
  {
    blocking_pool pool(1);
    const auto hanging = pool.post([&started, let_go] {
      started.set_value();
      let_go.wait();
    });
    started.get_future().wait();
    pool.post([&] { other.set_value(); });
    pool.abandon(hanging);
    other.get_future().wait();
    EXPECT_EQ(pool.hung(), 1U);
  }
  release.set_value();
}

TEST(blocking_pool, work_that_waits_can_be_taken_back) {
  std::promise<void> started, release;
  bool ran = false;
  {
    blocking_pool pool(1);
    pool.post([&] {
      started.set_value();
      release.get_future().wait();
    });
    started.get_future().wait();
    const auto second = pool.post([&] { ran = true; });
    pool.abandon(second);
    EXPECT_EQ(pool.hung(), 0U);
    release.set_value();
  }
  EXPECT_FALSE(ran);
}

}  // namespace
}  // namespace rowrunner
