#include "common/child/confinement.hpp"

#include <fcntl.h>
#include <sys/socket.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "child/fixture.hpp"

namespace rowrunner::testing {
namespace {

using ::testing::ElementsAre;

class confinement : public child_pool {
 protected:
  json error_of_open(const std::string& path, bool writing = false) {
    return call("open_path", {{"path", path}, {"write", writing}}).answer;
  }
};

TEST_F(confinement, system_calls_beyond_files_and_memory_are_refused) {
  const auto outcome = call("forbidden");
  ASSERT_TRUE(outcome.answer.is_object()) << outcome.message;
  for (const auto& [name, error] : outcome.answer.items()) EXPECT_EQ(error, EPERM) << name;
}

TEST_F(confinement, files_cannot_be_changed_and_no_signals_arranged) {
  std::vector<descriptor> files;
  files.emplace_back(::open("/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  const auto outcome = call("forbidden_detours", json::object(), std::move(files));
  ASSERT_TRUE(outcome.answer.is_object()) << outcome.message;
  for (const auto& [name, error] : outcome.answer.items()) EXPECT_EQ(error, EPERM) << name;
}

TEST_F(confinement, calls_of_later_kernels_are_not_there) {
  EXPECT_THAT(call("unknown_calls").answer, ::testing::Each(ENOSYS));
}

TEST_F(confinement, threads_are_allowed) { EXPECT_EQ(call("threads").answer, 1); }

TEST_F(confinement, only_the_files_of_the_system_can_be_opened) {
  const auto own = std::filesystem::temp_directory_path() / "rowrunner-confinement";
  std::ofstream(own) << "secret";
  EXPECT_EQ(error_of_open("/usr/share"), 0);
  EXPECT_EQ(error_of_open(own), EACCES);
  EXPECT_EQ(error_of_open("/etc/passwd"), EACCES);
  EXPECT_EQ(error_of_open("/proc/" + std::to_string(::getpid()) + "/environ"), EACCES);
  EXPECT_EQ(error_of_open("/tmp/rowrunner-new", true), EACCES);
  std::filesystem::remove(own);
}

TEST_F(confinement, a_folder_that_is_named_can_be_read_but_not_written) {
  const auto folder = std::filesystem::temp_directory_path() / "rowrunner-readable";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "data") << "data";
  how.readable.push_back(folder);
  EXPECT_EQ(error_of_open(folder / "data"), 0);
  EXPECT_EQ(error_of_open(folder / "new", true), EACCES);
  std::filesystem::remove_all(folder);
}

TEST_F(confinement, nothing_is_inherited) {
  // Neither a socket of ours, with or without close-on-exec, nor a secret.
  const descriptor ours(::socket(AF_INET, SOCK_STREAM, 0));
  ::setenv("ROWRUNNER_TEST_SECRET", "password", 1);
  how.variables = {"LANG=C.UTF-8"};
  EXPECT_THAT(call("open_descriptors").answer, ElementsAre(0, 1, 2));
  EXPECT_THAT(call("environment").answer, ElementsAre("LANG=C.UTF-8"));
  ::unsetenv("ROWRUNNER_TEST_SECRET");
}

TEST_F(confinement, files_that_come_with_a_request_are_closed_after_it) {
  for (int i = 0; i < 100; ++i) {
    std::vector<descriptor> files;
    files.emplace_back(::open("/etc/hostname", O_RDONLY | O_CLOEXEC));
    files.emplace_back(::open("/etc/hostname", O_RDONLY | O_CLOEXEC));
    const auto outcome = call("read_file", json::object(), std::move(files));
    ASSERT_TRUE(outcome.answer.is_string()) << outcome.message;
  }
  EXPECT_THAT(call("open_descriptors").answer, ElementsAre(0, 1, 2));
  EXPECT_EQ(children().started(), 1U);
}

}  // namespace
}  // namespace rowrunner::testing
