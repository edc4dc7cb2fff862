#include <sys/wait.h>

#include <cstdlib>

#include "child/fixture.hpp"

namespace rowrunner::testing {
namespace {

using ::testing::HasSubstr;

class shipped_program : public child_pool {};

TEST_F(shipped_program, is_a_child_of_its_own) {
  how.program = ROWRUNNER_BINARY;
  const auto outcome = call("no.such.tool");
  EXPECT_EQ(outcome.why, failure::refused) << outcome.message;
  EXPECT_THAT(outcome.message, HasSubstr("there is no tool no.such.tool"));
}

TEST_F(shipped_program, says_who_starts_children) {
  const int status = std::system(ROWRUNNER_BINARY " child-tools </dev/null 2>/dev/null");
  EXPECT_EQ(WEXITSTATUS(status), 2);
}

}  // namespace
}  // namespace rowrunner::testing
