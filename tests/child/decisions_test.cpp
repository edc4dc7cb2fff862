#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "common/child/death.hpp"
#include "common/child/options.hpp"
#include "common/child/orders.hpp"
#include "common/errors.hpp"

namespace rowrunner::child {
namespace {

using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

/// As wait(2) has them.
constexpr int exited(int code) { return code << 8; }
constexpr int signalled(int signal) { return signal; }

TEST(death, tells_by_its_status_what_the_file_did) {
  const limits allowed;
  EXPECT_EQ(error_of_death(signalled(SIGSEGV), allowed)->why, failure::crashed);
  EXPECT_EQ(error_of_death(signalled(SIGBUS), allowed)->why, failure::crashed);
  EXPECT_EQ(error_of_death(signalled(SIGXCPU), allowed)->why, failure::out_of_time);
  EXPECT_EQ(error_of_death(signalled(SIGXFSZ), allowed)->why, failure::too_large);
  EXPECT_EQ(error_of_death(signalled(SIGKILL), allowed)->why, failure::out_of_memory);
  EXPECT_EQ(error_of_death(exited(exit_out_of_memory), allowed)->why, failure::out_of_memory);
  EXPECT_EQ(error_of_death(exited(1), allowed)->why, failure::crashed);
  EXPECT_FALSE(error_of_death(exited(0), allowed));
}

TEST(orders, are_the_same_on_the_other_side) {
  orders given;
  given.parent = 42;
  given.allowed.memory_bytes = 1;
  given.allowed.cpu = std::chrono::seconds(2);
  given.allowed.output_bytes = 3;
  given.allowed.file_bytes = 4;
  given.readable = {"/data/one", "/data/two"};
  given.idle_ms = 5;
  const auto read = nlohmann::json::parse(nlohmann::json(given).dump()).get<orders>();
  EXPECT_EQ(nlohmann::json(read), nlohmann::json(given));
  EXPECT_EQ(read.readable, given.readable);
}

TEST(child_options, come_from_the_environment) {
  const environment env({{"CHILD_PROGRAM", "/opt/rowrunner"},
                         {"CHILD_PROCESSES", "3"},
                         {"CHILD_MEMORY_MB", "2048"},
                         {"CHILD_CPU_SECONDS", "7"},
                         {"CHILD_WALL_SECONDS", "9"},
                         {"CHILD_FILE_MB", "5"},
                         {"TESSDATA_PREFIX", "/data/tessdata"}});
  const auto how = options_from(env);
  EXPECT_EQ(how.program, "/opt/rowrunner");
  EXPECT_EQ(how.size, 3U);
  EXPECT_EQ(how.each.memory_bytes, std::size_t{2} << 30);
  EXPECT_EQ(how.each.cpu, std::chrono::seconds(7));
  EXPECT_EQ(how.each.wall, std::chrono::seconds(9));
  EXPECT_EQ(how.each.file_bytes, std::size_t{5} << 20);
  EXPECT_THAT(how.variables, UnorderedElementsAre("TESSDATA_PREFIX=/data/tessdata",
                                                  "OMP_THREAD_LIMIT=1", "LANG=C.UTF-8"));
  EXPECT_EQ(how.readable, std::vector<std::filesystem::path>{"/data/tessdata"});
}

TEST(child_options, that_make_no_sense_are_refused_with_the_variable) {
  for (const auto* text : {"0", "-1", "many", "1e9", "99999999999999999999"}) {
    const std::map<std::string, std::string> set{{"CHILD_PROCESSES", text}};
    const environment env(set);
    try {
      options_from(env);
      ADD_FAILURE() << text;
    } catch (const usage_error& error) {
      EXPECT_THAT(error.what(), HasSubstr("CHILD_PROCESSES"));
    }
  }
}

}  // namespace
}  // namespace rowrunner::child
