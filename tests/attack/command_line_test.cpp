// What a command line can do wrong: show a password to every user of the machine, or ask for a
// number that makes no sense.

#include <fstream>

#include "common/environment.hpp"
#include "support/command.hpp"
#include "support/jobs_database.hpp"
#include "support/paths.hpp"

namespace rowrunner::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string command_line_of(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/cmdline");
  return {std::istreambuf_iterator<char>(file), {}};
}

/// What is between the user's name and the host of postgresql://user:password@host.
std::string password_of(const std::string& url) {
  const auto at = url.find('@');
  const auto colon = url.rfind(':', at);
  return url.substr(colon + 1, at - colon - 1);
}

class command_line : public ::testing::TestWithParam<bool> {};

TEST_P(command_line, does_not_show_the_password_of_the_database_url) {
  jobs_database db;
  const auto password = password_of(db.url());
  ASSERT_GT(password.size(), 8u) << "the tests' server wants a password";
  std::vector<std::string> argv{rowrunner_binary(), "worker", "--handler", "test=noop"};
  if (GetParam()) {
    argv.push_back("--database-url=" + db.url());
  } else {
    argv.insert(argv.end(), {"--database-url", db.url()});
  }
  child_process worker(argv, {{"DATABASE_URL", std::nullopt}});
  ASSERT_TRUE(worker.wait_for_output_line("worker started")) << worker.err();
  EXPECT_THAT(command_line_of(worker.pid()), Not(HasSubstr(password)));
  EXPECT_THAT(command_line_of(worker.pid()), HasSubstr("--database-url"));
  EXPECT_THAT(worker.err(), Not(HasSubstr(password)));
}

INSTANTIATE_TEST_SUITE_P(both_spellings, command_line, ::testing::Bool());

TEST(numbers, out_of_range_are_refused_by_name) {
  test_database db;
  const command rowrunner(db);
  for (const std::string text : {"1e12", "0", "-1", "nan", "inf", "0.5"}) {
    EXPECT_THAT(rowrunner.error(2, {"worker", "--drain", "--lease=" + text}),
                HasSubstr("--lease must be from 1 to 86400, not "))
        << text;
    EXPECT_THAT(rowrunner.error(2, {"worker", "--drain"}, {{"LEASE_SECONDS", text}}),
                HasSubstr("LEASE_SECONDS must be from 1 to 86400, not "))
        << text;
  }
  for (const auto& [flag, variable] :
       std::map<std::string, std::string>{{"--concurrency", "MAX_CONCURRENT"},
                                          {"--timeout", "JOB_TIMEOUT"},
                                          {"--grace", "SHUTDOWN_GRACE"},
                                          {"--vacuum-blocker-alarm", "VACUUM_BLOCKER_ALARM"}}) {
    EXPECT_THAT(rowrunner.error(2, {"worker", "--drain", flag + "=1000000000"}),
                HasSubstr(flag + " must be from "));
    EXPECT_THAT(rowrunner.error(2, {"worker", "--drain", flag + "=-1"}),
                HasSubstr(flag + " must be from "));
    EXPECT_THAT(rowrunner.error(2, {"worker", "--drain"}, {{variable, "1000000000"}}),
                HasSubstr(variable + " must be from "));
    EXPECT_THAT(rowrunner.error(2, {"worker", "--drain"}, {{variable, "many"}}),
                HasSubstr(variable + " must be a number"));
  }
  EXPECT_THAT(rowrunner.error(2, {"worker", "--drain", "--max-jobs=0"}), HasSubstr("--max-jobs"));
  EXPECT_THAT(rowrunner.error(2, {"worker", "--drain", "--max-jobs=9000000000000000000"}),
              HasSubstr("--max-jobs must be from 1 to 1e+12"));
  EXPECT_THAT(rowrunner.error(2, {"worker", "--drain", "--max-seconds=1e300"}),
              HasSubstr("--max-seconds must be from "));
  EXPECT_THAT(rowrunner.error(
                  2, {"worker", "--drain", "--handler", "letter=noop", "--kind", "letter:1000000"}),
              HasSubstr("the concurrency of letter must be from 1 to 10000"));
  EXPECT_THAT(rowrunner.error(2, {"stats", "--vacuum-blocker-alarm=1e12"}),
              HasSubstr("--vacuum-blocker-alarm must be from 0 to 31536000"));
}

}  // namespace
}  // namespace rowrunner::testing
