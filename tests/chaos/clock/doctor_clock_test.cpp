// A machine with a wrong clock is told so by `rowrunner doctor`.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "chaos/paths.hpp"
#include "support/paths.hpp"
#include "support/postgres.hpp"
#include "support/process.hpp"

namespace rowrunner::chaos {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(doctor_clock, a_wrong_clock_is_named) {
  if (wrong_clock_libraries().empty()) GTEST_SKIP() << "nothing may be preloaded";
  const testing::test_database db;
  for (const auto& [by, finding] : {std::pair{"+1h", "behind the clock of this machine"},
                                    std::pair{"-1h", "s ahead of the clock of this machine"}}) {
    const auto done = testing::run_process({testing::rowrunner_binary(), "doctor"},
                                           {{"DATABASE_URL", db.url()},
                                            {"LD_PRELOAD", wrong_clock_libraries()},
                                            {"FAKETIME", by},
                                            {"FAKETIME_DONT_FAKE_MONOTONIC", "1"}});
    EXPECT_EQ(done.exit_code, 1) << done.err;
    EXPECT_THAT(done.out, AllOf(HasSubstr("the server's clock is 3"), HasSubstr(finding)));
  }
}

}  // namespace
}  // namespace rowrunner::chaos
