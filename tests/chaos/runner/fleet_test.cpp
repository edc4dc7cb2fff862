#include "chaos/runner/fleet.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "chaos/runner/faults/requests.hpp"
#include "support/jobs_database.hpp"

namespace rowrunner::chaos {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string make_folder() {
  std::string name = ::testing::TempDir() + "/fleetXXXXXX";
  return mkdtemp(name.data());
}

class fleet_test : public ::testing::Test {
 protected:
  fleet_test() { inotify_add_watch(changes, record.path().c_str(), IN_MODIFY); }
  ~fleet_test() override {
    close(changes);
    std::filesystem::remove_all(folder);
  }

  std::string noted() const {
    std::ifstream file(record.path());
    return {std::istreambuf_iterator<char>(file), {}};
  }
  /// Waits until the slot is in its so many-th life; says whether it came to that.
  bool starts(const std::string& name) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds{30};
    while (noted().find("runner start " + name + " ") == std::string::npos) {
      const auto left =
          std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
      pollfd wanted{changes, POLLIN, 0};
      if (left.count() <= 0 || poll(&wanted, 1, static_cast<int>(left.count())) <= 0) return false;
      std::array<char, 4096> events{};
      if (read(changes, events.data(), events.size()) < 0) return false;
    }
    return true;
  }

  const std::string folder = make_folder();
  const history record{folder + "/history.log"};
  /// Readable when something was written to the record.
  const int changes = inotify_init1(IN_CLOEXEC);
};

TEST_F(fleet_test, only_the_process_that_was_stopped_is_continued) {
  fleet workers({{"w0", {"sleep", "1000"}, {}, false}}, record, folder);
  ASSERT_TRUE(starts("w0.1"));
  workers.signal(0, SIGSTOP);
  workers.signal(0, SIGKILL);
  ASSERT_TRUE(starts("w0.2"));
  workers.signal(0, SIGCONT);
  EXPECT_THAT(noted(), Not(HasSubstr("runner cont")));
  workers.signal(0, SIGSTOP);
  workers.signal(0, SIGCONT);
  EXPECT_THAT(noted(), HasSubstr("runner cont w0.2"));
}

// A group that is orphaned is continued by the kernel with all that is stopped in it.
TEST_F(fleet_test, every_child_has_a_process_group_of_its_own) {
  testing::child_process one({"sh", "-c", "echo ready; exec sleep 1000"});
  ASSERT_TRUE(one.wait_for_output_line("ready"));
  EXPECT_EQ(getpgid(one.pid()), one.pid());
  EXPECT_NE(getpgid(one.pid()), getpgrp());
}

TEST_F(fleet_test, a_clock_that_jumps_waits_for_no_lock) {
  testing::jobs_database db;
  for (const char* name : {"a", "b"}) {
    db.add(name);
    db.exec("SELECT rowrunner.claim('test', 'me', 1)");
  }
  pqxx::connection somebody(db.url());
  pqxx::work tx(somebody);
  tx.exec("SELECT FROM rowrunner.leases ORDER BY lease LIMIT 1 FOR UPDATE");
  db.exec("SET lock_timeout = '10s'");
  EXPECT_NO_THROW(expire_all_leases(db.connection()));
  tx.commit();
  EXPECT_EQ(db.value("SELECT count(*) FROM rowrunner.leases WHERE expires_at < now()"), "1");
}

}  // namespace
}  // namespace rowrunner::chaos
