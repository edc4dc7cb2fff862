// A kernel without Landlock, which a filter of system calls plays, and a user without privileges.
#include <fcntl.h>
#include <grp.h>
#include <seccomp.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <functional>

#include "child/fixture.hpp"
#include "common/child/confinement.hpp"
#include "common/child/required.hpp"
#include "common/errors.hpp"

namespace rowrunner::testing {
namespace {

constexpr uid_t nobody = 65534;

int error_of(const std::string& path, int flags) {
  const descriptor file(::open(path.c_str(), flags | O_CLOEXEC, 0600));
  return file ? 0 : errno;
}

class without_landlock : public ::testing::Test {
 protected:
  /// In a process of its own; its exit code is that of the work, 99 if it could not be set up.
  static int run(const std::function<int()>& work) {
    const pid_t pid = ::fork();
    if (pid == 0) ::_exit(become_unprivileged() ? work() : 99);
    int status = 0;
    ::waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
  }

  static json ask(const std::string& tool, json arguments, child::options how = {}) {
    how.size = 1;
    asio::io_context io;
    child::pool children(io.get_executor(), how);
    result out;
    asio::co_spawn(io, record(children, tool, std::move(arguments), {}, out), asio::detached);
    io.run();
    return out.why ? json(child::name_of(*out.why)) : out.answer;
  }

  static std::string environment_of(pid_t process) {
    return "/proc/" + std::to_string(process) + "/environ";
  }

 private:
  static bool become_unprivileged() {
    if (::getuid() == 0 &&
        (::setgroups(0, nullptr) != 0 || ::setresgid(nobody, nobody, nobody) != 0 ||
         ::setresuid(nobody, nobody, nobody) != 0)) {
      return false;
    }
    // As a program that was started by that user.
    ::prctl(PR_SET_DUMPABLE, 1);
    auto* const filter = seccomp_init(SCMP_ACT_ALLOW);
    return seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(landlock_create_ruleset), 0) ==
               0 &&
           seccomp_load(filter) == 0;
  }
};

TEST_F(without_landlock, the_environment_and_memory_of_the_parent_stay_closed) {
  if (child::sanitized()) GTEST_SKIP() << "the leak check needs to trace the process";
  const auto work = [] {
    const auto parent = ::getpid();
    // Open to every process of this user, until there are children.
    if (ask("pid", {})["parent"] != parent) return 1;
    for (const char* file : {"environ", "mem", "maps"}) {
      const auto path = "/proc/" + std::to_string(parent) + "/" + file;
      if (ask("open_path", {{"path", path}}) != EACCES) return 2;
    }
    return 0;
  };
  EXPECT_EQ(run(work), 0);
}

TEST_F(without_landlock, another_process_of_the_user_could_read_the_environment_before) {
  const auto work = [] {
    const auto whose = ::getpid();
    const pid_t other = ::fork();
    if (other == 0) ::_exit(error_of(environment_of(whose), O_RDONLY));
    int status = 0;
    ::waitpid(other, &status, 0);
    return WEXITSTATUS(status);
  };
  EXPECT_EQ(run(work), 0) << "otherwise the test before says nothing";
}

TEST_F(without_landlock, files_can_be_read_but_not_written) {
  const auto place = std::filesystem::temp_directory_path() / "rowrunner-no-landlock";
  std::filesystem::create_directories(place);
  std::filesystem::permissions(place, std::filesystem::perms::all);
  const auto work = [&place] {
    if (ask("open_path", {{"path", "/etc/passwd"}}) != 0) return 1;
    if (ask("open_path", {{"path", (place / "new").string()}, {"write", true}}) != EPERM) return 2;
    return ask("open_path", {{"path", "/dev/null"}, {"write", true}}) == EPERM ? 0 : 3;
  };
  EXPECT_EQ(run(work), 0);
  EXPECT_TRUE(std::filesystem::is_empty(place));
  std::filesystem::remove_all(place);
}

TEST_F(without_landlock, nothing_is_read_where_confinement_is_required) {
  const auto work = [] {
    child::options how;
    how.confinement_required = true;
    if (ask("echo", 1, how) != "unavailable") return 1;
    try {
      child::check_confinement(how);
    } catch (const usage_error& why) {
      return std::string(why.what()).find("Landlock") == std::string::npos ? 2 : 0;
    }
    return 3;
  };
  EXPECT_EQ(run(work), 0);
}

TEST(required_confinement, is_given_here) {
  if (child::sanitized()) GTEST_SKIP() << "memory is not limited in this build";
  child::options how;
  how.confinement_required = true;
  EXPECT_NO_THROW(child::check_confinement(how));
}

}  // namespace
}  // namespace rowrunner::testing
