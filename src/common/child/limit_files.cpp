#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstdint>
#include <system_error>

#include "common/child/confinement.hpp"
#include "common/descriptor.hpp"

namespace rowrunner::child {
namespace {

/// As in newer kernel headers than those that it is built with.
struct ruleset {
  std::uint64_t files;
  std::uint64_t network;
  std::uint64_t scoped;
};

constexpr std::uint64_t read_file = LANDLOCK_ACCESS_FS_READ_FILE;
constexpr std::uint64_t read_folder = LANDLOCK_ACCESS_FS_READ_DIR;
constexpr std::uint64_t write_file = LANDLOCK_ACCESS_FS_WRITE_FILE;

/// Everything that this version of Landlock can forbid.
ruleset all_of(long version) {
  ruleset out{(1U << 13) - 1, 0, 0};
  if (version >= 2) out.files |= 1U << 13;  // rename and link to another folder
  if (version >= 3) out.files |= 1U << 14;  // truncate
  if (version >= 4) out.network = 3;        // bind and connect with TCP
  if (version >= 5) out.files |= 1U << 15;  // ioctl of devices
  if (version >= 6) out.scoped = 3;         // abstract sockets, signals
  return out;
}

std::size_t size_for(long version) {
  if (version >= 6) return sizeof(ruleset);
  return version >= 4 ? 2 * sizeof(std::uint64_t) : sizeof(std::uint64_t);
}

/// A path that does not exist needs no permission.
void allow(int rules, const std::filesystem::path& path, std::uint64_t access) {
  const descriptor at(::open(path.c_str(), O_PATH | O_CLOEXEC));
  struct stat about {};
  if (!at || ::fstat(at.get(), &about) != 0) return;
  if (!S_ISDIR(about.st_mode)) access &= ~read_folder;
  landlock_path_beneath_attr rule{};
  rule.allowed_access = access;
  rule.parent_fd = at.get();
  ::syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
}

std::string problem(const char* call) {
  return std::string("Landlock, ") + call + ": " + std::generic_category().message(errno);
}

}  // namespace

std::string limit_files(const std::vector<std::filesystem::path>& readable) {
  const long version =
      ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  if (version < 1) return problem("landlock_create_ruleset");
  const auto forbidden = all_of(version);
  const descriptor rules(
      static_cast<int>(::syscall(SYS_landlock_create_ruleset, &forbidden, size_for(version), 0)));
  if (!rules) return problem("landlock_create_ruleset");
  for (const auto* each : {"/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/share",
                           "/usr/local/lib", "/usr/local/share", "/etc/fonts", "/etc/ld.so.cache",
                           "/etc/localtime", "/var/cache/fontconfig", "/dev/urandom"}) {
    allow(rules.get(), each, read_file | read_folder);
  }
  for (const auto& each : readable) allow(rules.get(), each, read_file | read_folder);
  allow(rules.get(), "/dev/null", read_file | write_file);
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return problem("no_new_privs");
  if (::syscall(SYS_landlock_restrict_self, rules.get(), 0) != 0) {
    return problem("landlock_restrict_self");
  }
  return {};
}

}  // namespace rowrunner::child
