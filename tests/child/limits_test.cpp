#include <fcntl.h>
#include <stdlib.h>

#include "child/fixture.hpp"
#include "common/child/confinement.hpp"

namespace rowrunner::testing {
namespace {

using ::testing::HasSubstr;

constexpr std::size_t mebibyte = std::size_t{1} << 20;

class child_limits : public child_pool {
 protected:
  /// Whatever happened, the next request has a child that works.
  void expect_goes_on() { EXPECT_EQ(call("echo", {{"still", "here"}}).answer.at("still"), "here"); }
};

descriptor new_temporary_file() {
  char name[] = "/tmp/rowrunner-child-XXXXXX";
  descriptor out(::mkstemp(name));
  ::unlink(name);
  return out;
}

std::vector<descriptor> one(descriptor file) {
  std::vector<descriptor> out;
  out.push_back(std::move(file));
  return out;
}

TEST_F(child_limits, memory_in_cpp_is_refused) {
  if (child::sanitized()) GTEST_SKIP() << "a sanitizer needs more addresses than any limit";
  how.each.memory_bytes = 512 * mebibyte;
  EXPECT_EQ(call("allocate", {{"bytes", 16 * mebibyte}}).answer, 16 * mebibyte);
  const auto outcome = call("allocate", {{"bytes", 600 * mebibyte}});
  EXPECT_EQ(outcome.why, failure::out_of_memory);
  EXPECT_THAT(outcome.message, HasSubstr("512 MiB"));
  expect_goes_on();
}

TEST_F(child_limits, memory_in_c_is_refused_though_the_library_aborts) {
  if (child::sanitized()) GTEST_SKIP() << "a sanitizer needs more addresses than any limit";
  how.each.memory_bytes = 512 * mebibyte;
  EXPECT_EQ(call("allocate_carelessly", {{"bytes", 600 * mebibyte}}).why, failure::out_of_memory);
  expect_goes_on();
}

TEST_F(child_limits, processor_time_ends) {
  how.each.cpu = std::chrono::seconds(1);
  const auto outcome = call("spin");
  EXPECT_EQ(outcome.why, failure::out_of_time);
  EXPECT_THAT(outcome.message, HasSubstr("processor time"));
  expect_goes_on();
}

TEST_F(child_limits, wall_time_ends) {
  how.each.wall = std::chrono::milliseconds(300);
  EXPECT_EQ(call("wait").why, failure::out_of_time);
  how.each.wall = std::chrono::seconds(60);
}

TEST_F(child_limits, an_answer_that_is_too_long_is_not_sent) {
  how.each.output_bytes = mebibyte;
  EXPECT_EQ(call("print", {{"bytes", mebibyte / 2}}).answer.get<std::string>().size(),
            mebibyte / 2);
  EXPECT_EQ(call("print", {{"bytes", 2 * mebibyte}}).why, failure::too_large);
  expect_goes_on();
}

TEST_F(child_limits, an_answer_without_end_is_not_read) {
  EXPECT_EQ(call("print_directly").why, failure::too_large);
  expect_goes_on();
}

TEST_F(child_limits, an_answer_that_is_no_json_is_a_crash) {
  EXPECT_EQ(call("babble").why, failure::crashed);
  expect_goes_on();
}

TEST_F(child_limits, a_file_that_is_too_long_is_not_written) {
  how.each.file_bytes = 2 * mebibyte;
  EXPECT_EQ(call("write_file", {{"megabytes", 1}}, one(new_temporary_file())).message, "");
  const auto outcome = call("write_file", {{"megabytes", 3}}, one(new_temporary_file()));
  EXPECT_EQ(outcome.why, failure::too_large);
  EXPECT_THAT(outcome.message, HasSubstr("2 MiB"));
  expect_goes_on();
}

TEST_F(child_limits, a_crash_is_an_error_and_the_next_call_works) {
  for (const auto* tool : {"segfault", "abort", "overflow_stack"}) {
    const auto outcome = call(tool);
    EXPECT_EQ(outcome.why, failure::crashed) << tool << ": " << outcome.message;
    expect_goes_on();
  }
  EXPECT_EQ(call("leave", {{"code", 3}}).why, failure::crashed);
  EXPECT_EQ(call("leave", {{"code", 0}}).why, failure::crashed);
  expect_goes_on();
}

TEST_F(child_limits, what_a_tool_refuses_keeps_its_words_and_its_child) {
  const auto first = call("pid").answer;
  const auto outcome = call("refuse", {{"why", "the file is empty"}});
  EXPECT_EQ(outcome.why, failure::refused);
  EXPECT_EQ(outcome.message, "the file is empty");
  EXPECT_EQ(call("pid").answer, first);
}

TEST_F(child_limits, an_unknown_tool_is_refused) {
  EXPECT_THAT(call("magic").message, HasSubstr("no tool magic"));
}

}  // namespace
}  // namespace rowrunner::testing
