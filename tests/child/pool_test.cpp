#include <dirent.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>

#include "child/fixture.hpp"
#include "common/child/process.hpp"

namespace rowrunner::testing {
namespace {

using ::testing::HasSubstr;
using clock = std::chrono::steady_clock;

std::size_t open_files() {
  const std::filesystem::directory_iterator all("/proc/self/fd");
  return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

/// It has ended, and has been waited for.
bool gone(pid_t pid) { return ::kill(pid, 0) != 0 && errno == ESRCH; }

void wait_until_gone(pid_t pid) {
  const auto until = clock::now() + std::chrono::seconds(20);
  while (!gone(pid) && clock::now() < until) ::usleep(1000);
  EXPECT_TRUE(gone(pid)) << pid;
}

class pool_of_children : public child_pool {};

TEST_F(pool_of_children, starts_nothing_before_the_first_call) {
  EXPECT_EQ(children().started(), 0U);
  EXPECT_EQ(children().running(), 0U);
}

TEST_F(pool_of_children, one_child_serves_many_requests) {
  for (int i = 0; i < 300; ++i) ASSERT_EQ(call("echo", {{"number", i}}).answer.at("number"), i);
  EXPECT_EQ(children().started(), 1U);
}

TEST_F(pool_of_children, a_child_is_replaced_after_its_share_of_requests) {
  how.requests_per_child = 10;
  for (int i = 0; i < 35; ++i) ASSERT_EQ(call("echo", {{"number", i}}).answer.at("number"), i);
  EXPECT_EQ(children().started(), 4U);
  EXPECT_LE(children().running(), 1U);
}

TEST_F(pool_of_children, a_child_that_died_while_it_was_idle_is_replaced) {
  const auto first = call("pid").answer.at("self").get<pid_t>();
  ::kill(first, SIGKILL);
  siginfo_t how_it_ended{};
  ::waitid(P_PID, static_cast<id_t>(first), &how_it_ended, WEXITED | WNOWAIT);
  EXPECT_NE(call("pid").answer.at("self"), first);
}

TEST_F(pool_of_children, calls_beyond_its_size_wait_for_the_same_child) {
  std::vector<result> results(20);
  for (auto& each : results) {
    asio::co_spawn(io, record(children(), "pid", json::object(), {}, each), asio::detached);
  }
  run();
  for (const auto& each : results) EXPECT_EQ(each.answer, results.front().answer);
  EXPECT_EQ(children().started(), 1U);
}

TEST_F(pool_of_children, as_many_run_at_a_time_as_it_has) {
  how.size = 3;
  how.each.wall = std::chrono::seconds(1);
  std::vector<result> results(3);
  for (auto& each : results) {
    asio::co_spawn(io, record(children(), "wait", json::object(), {}, each), asio::detached);
  }
  const auto start = clock::now();
  run();
  EXPECT_LT(clock::now() - start, std::chrono::milliseconds(2900));
  for (const auto& each : results) EXPECT_EQ(each.why, failure::out_of_time);
  EXPECT_EQ(children().started(), 3U);
}

TEST_F(pool_of_children, more_calls_than_may_wait_are_refused) {
  how.waiting = 2;
  std::vector<result> results(5);
  for (auto& each : results) {
    asio::co_spawn(io, record(children(), "echo", json::object(), {}, each), asio::detached);
  }
  run();
  EXPECT_EQ(std::count_if(results.begin(), results.end(),
                          [](const result& each) { return each.why == failure::unavailable; }),
            2);
}

TEST_F(pool_of_children, a_program_that_cannot_be_started_is_said) {
  how.program = "/nowhere/rowrunner";
  const auto outcome = call("echo");
  EXPECT_EQ(outcome.why, failure::unavailable);
  EXPECT_THAT(outcome.message, HasSubstr("No such file"));
}

TEST_F(pool_of_children, a_program_that_is_no_child_is_said) {
  how.program = "/bin/false";
  EXPECT_EQ(call("echo").why, failure::unavailable);
}

asio::awaitable<void> wait_in_child(child::pool& children, pid_t& pid, asio::io_context& io,
                                    asio::cancellation_signal& cancel, std::string& message) {
  const auto numbers = co_await children.call("pid", json::object());
  pid = numbers.at("self").get<pid_t>();
  asio::post(io, [&cancel] { cancel.emit(asio::cancellation_type::all); });
  try {
    co_await children.call("wait", json::object());
  } catch (const std::exception& error) {
    message = error.what();
  }
}

TEST_F(pool_of_children, cancelling_a_call_kills_its_child) {
  asio::cancellation_signal cancel;
  pid_t pid = 0;
  std::string message;
  asio::co_spawn(io, wait_in_child(children(), pid, io, cancel, message),
                 asio::bind_cancellation_slot(cancel.slot(), asio::detached));
  const auto start = clock::now();
  run();
  EXPECT_THAT(message, HasSubstr("canceled"));
  wait_until_gone(pid);
  EXPECT_LT(clock::now() - start, std::chrono::seconds(10));
  EXPECT_EQ(children().running(), 0U);
  EXPECT_EQ(call("echo", {{"after", 1}}).answer.at("after"), 1);
}

/// Only when a child has ended.
asio::awaitable<void> after_the_end_of_a_child(std::function<void()> work) {
  const auto executor = co_await asio::this_coro::executor;
  siginfo_t ended{};
  while (ended.si_pid == 0) {
    co_await asio::post(executor, asio::use_awaitable);
    ::waitid(P_ALL, 0, &ended, WEXITED | WNOWAIT | WNOHANG);
  }
  work();
}

TEST_F(pool_of_children, a_child_that_was_killed_while_its_answer_was_parsed_serves_no_more) {
  how.each.wall = std::chrono::seconds(1);
  how.elsewhere = after_the_end_of_a_child;
  const auto outcome = call("print", {{"bytes", 100'000}});
  EXPECT_EQ(outcome.answer.get<std::string>().size(), 100'000U) << outcome.message;
  EXPECT_EQ(children().running(), 0U);
}

asio::awaitable<void> ask_for_its_end(child::process& asked, asio::cancellation_signal& cancel) {
  const auto executor = co_await asio::this_coro::executor;
  asio::post(executor, [&cancel] { cancel.emit(asio::cancellation_type::all); });
  // It cannot be cancelled itself, so the cancellation is pending afterwards.
  co_await asio::post(executor, asio::use_awaitable);
  co_await asked.end();
}

TEST_F(pool_of_children, a_cancelled_question_for_the_end_of_a_child_leaves_no_child) {
  const auto from = std::make_shared<child::spawner>(how);
  pid_t pid = 0;
  std::exception_ptr thrown;
  bool answered = false;
  const auto work = [&]() -> asio::awaitable<void> {
    auto started = co_await from->start();
    child::process alive(io.get_executor(), std::move(started), from, run_inline);
    pid = alive.pid();
    asio::cancellation_signal cancel;
    const auto done = [&](const std::exception_ptr& why) {
      thrown = why;
      answered = true;
    };
    asio::co_spawn(io, ask_for_its_end(alive, cancel),
                   asio::bind_cancellation_slot(cancel.slot(), done));
    while (!answered) co_await asio::post(io, asio::use_awaitable);
  };
  asio::co_spawn(io, work, asio::detached);
  run();
  EXPECT_TRUE(thrown) << "it was cancelled";
  wait_until_gone(pid);
}

TEST_F(pool_of_children, the_end_of_the_pool_is_that_of_its_children) {
  pid_t pid = 0;
  {
    child::pool own(io.get_executor(), how);
    result outcome;
    asio::co_spawn(io, record(own, "pid", json::object(), {}, outcome), asio::detached);
    run();
    pid = outcome.answer.at("self").get<pid_t>();
  }
  EXPECT_TRUE(gone(pid));
}

TEST_F(pool_of_children, no_descriptor_is_left_whatever_happens) {
  call("echo");
  const auto before = open_files();
  for (const auto* tool : {"segfault", "refuse", "abort", "print_directly", "echo"}) call(tool);
  EXPECT_EQ(open_files(), before);
}

TEST_F(pool_of_children, a_child_dies_with_its_parent) {
  // So that its end can be waited for here.
  ASSERT_EQ(::prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
  std::string program = "/proc/self/exe";
  std::string mode = "be-parent";
  char* arguments[] = {program.data(), mode.data(), nullptr};
  pid_t parent = 0;
  ASSERT_EQ(::posix_spawn(&parent, program.c_str(), &actions, nullptr, arguments, environ), 0);
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  auto* lines = ::fdopen(ends[0], "r");
  pid_t child = 0;
  ASSERT_EQ(std::fscanf(lines, "%d", &child), 1);
  std::fclose(lines);

  ::kill(parent, SIGKILL);
  int status = 0;
  ASSERT_EQ(::waitpid(parent, &status, 0), parent);
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGKILL);
  ::prctl(PR_SET_CHILD_SUBREAPER, 0);
}

}  // namespace
}  // namespace rowrunner::testing
