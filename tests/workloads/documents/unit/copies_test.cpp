// Copies of stored files: fetched once, and removed again.
#include "workloads/documents/copies.hpp"

#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <fstream>

namespace rowrunner::documents {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

class document_copies_test : public ::testing::Test {
 protected:
  void ask(const std::string& key, document_copies::clock::duration later = 0s) {
    asio::co_spawn(io_, asked(key, start_ + later), asio::detached);
  }
  void run() {
    io_.restart();
    io_.run();
  }

  asio::awaitable<void> asked(std::string key, document_copies::clock::time_point now) {
    const document_copies::fetch fetch = [this](std::filesystem::path to) { return write(to); };
    try {
      got_.push_back(co_await all_.get(key, fetch, now));
    } catch (const std::exception&) {
      ++failures_;
    }
  }
  asio::awaitable<bool> write(std::filesystem::path to) {
    ++fetched_;
    co_await asio::post(io_, asio::use_awaitable);
    if (broken_ > 0 && broken_-- > 0) throw std::runtime_error("no answer");
    std::ofstream(to) << "file";
    co_return exists_;
  }

  const document_copies::clock::time_point start_ = document_copies::clock::now();
  asio::io_context io_;
  document_copies all_;
  int fetched_ = 0;
  int broken_ = 0;
  int failures_ = 0;
  bool exists_ = true;
  std::vector<document_copies::copy> got_;
};

TEST_F(document_copies_test, calls_at_the_same_time_and_later_ones_share_one_copy) {
  for (int i = 0; i < 5; ++i) ask("a");
  run();
  ask("a", 9min);
  run();
  EXPECT_EQ(fetched_, 1);
  ASSERT_EQ(got_.size(), 6u);
  for (const auto& each : got_) EXPECT_EQ(each, got_[0]);
  EXPECT_TRUE(std::filesystem::exists(got_[0]->path()));
}

TEST_F(document_copies_test, a_copy_that_is_not_used_is_removed) {
  ask("a");
  run();
  const auto path = got_[0]->path();
  got_.clear();
  ask("b", document_copies::kept_for + 1s);
  run();
  EXPECT_FALSE(std::filesystem::exists(path));
  ask("a", document_copies::kept_for + 2s);
  run();
  EXPECT_EQ(fetched_, 3);
}

TEST_F(document_copies_test, no_more_than_a_few_are_kept_and_none_goes_while_it_is_used) {
  for (int i = 0; i < 10; ++i) {
    ask(std::to_string(i), std::chrono::seconds(i));
    run();
  }
  const auto first = got_[0]->path();
  EXPECT_TRUE(std::filesystem::exists(first));
  std::vector<std::filesystem::path> paths;
  for (const auto& each : got_) paths.push_back(each->path());
  got_.clear();
  std::size_t left = 0;
  for (const auto& each : paths) left += std::filesystem::exists(each) ? 1 : 0;
  EXPECT_EQ(left, document_copies::most_kept);
  EXPECT_TRUE(std::filesystem::exists(paths.back()));
}

TEST_F(document_copies_test, one_that_waits_tries_after_a_failure) {
  broken_ = 1;
  ask("a");
  ask("a");
  run();
  EXPECT_EQ(failures_, 1);
  ASSERT_EQ(got_.size(), 1u);
  EXPECT_NE(got_[0], nullptr);
}

TEST_F(document_copies_test, a_file_that_does_not_exist_is_asked_for_again) {
  exists_ = false;
  ask("a");
  run();
  exists_ = true;
  ask("a");
  run();
  EXPECT_EQ(got_[0], nullptr);
  EXPECT_NE(got_[1], nullptr);
}

}  // namespace
}  // namespace rowrunner::documents
