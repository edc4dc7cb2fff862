// Children that serve many files, one after another.
#include <deque>
#include <filesystem>
#include <fstream>

#include "child/fixture.hpp"
#include "common/child/confinement.hpp"
#include "support/log_lines.hpp"

namespace rowrunner::testing {
namespace {

using ::testing::HasSubstr;
using paths = std::vector<std::filesystem::path>;

constexpr std::size_t mebibyte = std::size_t{1} << 20;

asio::awaitable<void> read(child::pool& children, std::string tool, std::filesystem::path file,
                           json& answer, std::string& order) {
  paths to_read{file};
  std::vector<descriptor> none;
  answer = co_await children.call(tool, json::object(), std::move(to_read), std::move(none));
  order += file.filename();
}

class shared_children : public child_pool {
 protected:
  shared_children() {
    std::string pattern = ::testing::TempDir() + "rowrunner-child-XXXXXX";
    folder_ = ::mkdtemp(pattern.data());
  }
  ~shared_children() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path file(const std::string& name) {
    std::ofstream(folder_ / name) << name;
    return folder_ / name;
  }
  /// To be run together.
  void begin(const std::string& name, const std::string& tool = "pid") {
    answers_.emplace_back();
    asio::co_spawn(io, read(children(), tool, file(name), answers_.back(), order_), asio::detached);
  }
  json pid_for(const std::string& name) {
    begin(name);
    run();
    return answers_.back();
  }

  std::filesystem::path folder_;
  std::deque<json> answers_;
  std::string order_;
};

TEST_F(shared_children, get_files_that_are_opened_for_them) {
  begin("a", "read_file");
  run();
  EXPECT_EQ(answers_.back(), "a");
}

TEST_F(shared_children, keep_the_file_that_they_have_open) {
  how.size = 2;
  begin("a");
  begin("b");
  run();
  const auto a = answers_[0], b = answers_[1];
  ASSERT_NE(a, b);
  for (const char* name : {"a", "a", "b", "b", "b", "a", "b", "a"}) {
    EXPECT_EQ(pid_for(name), *name == 'a' ? a : b);
  }
  EXPECT_EQ(children().started(), 2U);
}

TEST_F(shared_children, serve_the_calls_for_the_same_file_first) {
  for (int i = 0; i < 4; ++i) {
    for (const char* name : {"a", "b", "c"}) begin(name);
  }
  run();
  EXPECT_EQ(order_, "aaaabbbbcccc");
}

TEST_F(shared_children, let_no_file_wait_for_long) {
  for (int i = 0; i < 60; ++i) begin("a");
  begin("b");
  for (int i = 0; i < 60; ++i) begin("a");
  run();
  EXPECT_EQ(order_.size(), 121U);
  // After those before it and at most fifteen of those behind it.
  EXPECT_LE(order_.find('b'), 75U);
}

std::size_t open_files() {
  const std::filesystem::directory_iterator all("/proc/self/fd");
  return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

TEST_F(shared_children, hold_no_files_of_calls_that_wait) {
  pid_for("a");
  const auto before = open_files();
  for (int i = 0; i < 50; ++i) begin("a");
  io.restart();
  io.poll_one();
  while (order_.size() < 2) io.run_one();
  EXPECT_LT(open_files(), before + 10);
  run();
  EXPECT_EQ(order_.size(), 51U);
}

TEST_F(shared_children, do_not_charge_a_file_for_what_others_have_leaked) {
  if (child::sanitized()) GTEST_SKIP() << "a sanitizer needs more addresses than any limit";
  how.each.memory_bytes = 512 * mebibyte;
  ASSERT_EQ(call("leak", {{"bytes", 300 * mebibyte}}).answer, 300 * mebibyte);
  EXPECT_EQ(call("allocate", {{"bytes", 300 * mebibyte}}).answer, 300 * mebibyte);
  EXPECT_EQ(children().started(), 2U);
}

TEST_F(shared_children, do_not_charge_a_file_for_a_crash_after_others) {
  log_lines lines;
  how.log.emplace(lines.target());
  const auto first = call("crash_the_second_time").answer;
  const auto second = call("crash_the_second_time");
  EXPECT_FALSE(second.why) << second.message;
  EXPECT_NE(second.answer, first);
  EXPECT_EQ(children().started(), 2U);
  EXPECT_EQ(lines.count("a file could not be read"), 0) << lines.text();
  EXPECT_EQ(lines.count("a file is read again in a new child"), 1) << lines.text();
}

TEST_F(shared_children, crash_once_in_a_new_child_and_twice_at_most) {
  EXPECT_EQ(call("segfault").why, failure::crashed);
  EXPECT_EQ(children().started(), 1U);
  call("echo");
  EXPECT_EQ(call("segfault").why, failure::crashed);
  EXPECT_EQ(children().started(), 3U);
}

TEST_F(shared_children, are_not_out_of_memory_because_they_were_killed_here) {
  const auto left = call("hang_up", {{"code", 3}});
  EXPECT_EQ(left.why, failure::crashed);
  EXPECT_THAT(left.message, HasSubstr("exit code 3"));
  const auto lives_on = call("hang_up", {{"code", nullptr}});
  EXPECT_EQ(lives_on.why, failure::crashed);
  EXPECT_THAT(lives_on.message, HasSubstr("stopped answering"));
}

TEST_F(shared_children, that_are_not_confined_fully_are_told_of_once) {
  log_lines lines;
  how.arguments = {"be-less-confined"};
  how.requests_per_child = 2;
  how.log.emplace(lines.target());
  for (int i = 0; i < 6; ++i) EXPECT_EQ(call("any").answer, true);
  EXPECT_GE(children().started(), 2U);
  EXPECT_EQ(lines.count("does not confine child processes fully"), 1) << lines.text();
  EXPECT_THAT(lines.text(), HasSubstr("Landlock: not supported"));
}

}  // namespace
}  // namespace rowrunner::testing
