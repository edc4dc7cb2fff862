#include "common/child/spawn.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <system_error>

#include "common/child/confinement.hpp"

namespace rowrunner::child {
namespace {

void check(int result, const char* what) {
  if (result != 0) throw std::system_error(result, std::generic_category(), what);
}

class file_actions {
 public:
  explicit file_actions(int socket) {
    check(::posix_spawn_file_actions_init(&all_), "posix_spawn_file_actions_init");
    check(::posix_spawn_file_actions_adddup2(&all_, socket, STDIN_FILENO), "adddup2");
    open_null(STDOUT_FILENO);
    // The libraries write much about bad files. Only a sanitizer has something to say.
    if (!sanitized()) open_null(STDERR_FILENO);
    check(::posix_spawn_file_actions_addclosefrom_np(&all_, STDERR_FILENO + 1), "addclosefrom");
  }
  ~file_actions() { ::posix_spawn_file_actions_destroy(&all_); }
  file_actions(const file_actions&) = delete;
  file_actions& operator=(const file_actions&) = delete;

  const posix_spawn_file_actions_t* get() const { return &all_; }

 private:
  void open_null(int fd) {
    check(::posix_spawn_file_actions_addopen(&all_, fd, "/dev/null", O_WRONLY, 0), "addopen");
  }

  posix_spawn_file_actions_t all_{};
};

/// Signals as a new program expects them, in a process group of its own: Ctrl-C is for the parent.
class attributes {
 public:
  attributes() {
    check(::posix_spawnattr_init(&all_), "posix_spawnattr_init");
    sigset_t signals;
    ::sigemptyset(&signals);
    check(::posix_spawnattr_setsigmask(&all_, &signals), "setsigmask");
    ::sigfillset(&signals);
    check(::posix_spawnattr_setsigdefault(&all_, &signals), "setsigdefault");
    check(::posix_spawnattr_setpgroup(&all_, 0), "setpgroup");
    constexpr int flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP;
    check(::posix_spawnattr_setflags(&all_, flags), "setflags");
  }
  ~attributes() { ::posix_spawnattr_destroy(&all_); }
  attributes(const attributes&) = delete;
  attributes& operator=(const attributes&) = delete;

  const posix_spawnattr_t* get() const { return &all_; }

 private:
  posix_spawnattr_t all_{};
};

/// The environment and the memory of this process hold secrets, and a parser that was taken over is
/// a process of the same user: /proc/PID/environ and mem are closed to it, also where Landlock is
/// missing. The leak check of a sanitizer needs to trace its own process.
void hide_memory() {
  if (!sanitized()) ::prctl(PR_SET_DUMPABLE, 0);
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (auto& each : texts) out.push_back(each.data());
  out.push_back(nullptr);
  return out;
}

}  // namespace

spawned::~spawned() {
  if (pid < 0) return;
  ::kill(pid, SIGKILL);
  reap(pid);
}

spawned spawn(const options& how) {
  hide_memory();
  int ends[2] = {-1, -1};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    check(errno, "socketpair");
  }
  spawned out(-1, descriptor(ends[0]));
  const descriptor theirs(ends[1]);
  std::vector<std::string> arguments{"rowrunner"};
  arguments.insert(arguments.end(), how.arguments.begin(), how.arguments.end());
  auto variables = how.variables;
  const file_actions files(theirs.get());
  const attributes same;
  check(::posix_spawn(&out.pid, how.program.c_str(), files.get(), same.get(),
                      pointers(arguments).data(), pointers(variables).data()),
        "posix_spawn");
  return out;
}

int reap(pid_t pid) noexcept {
  int status = 0;
  pid_t found = 0;
  do {
    found = ::waitpid(pid, &status, 0);
  } while (found < 0 && errno == EINTR);
  // Other code of this process has waited for it.
  if (found < 0) return SIGKILL;
  return status;
}

child_end await_end(pid_t pid, std::chrono::milliseconds patience) noexcept {
  child_end out;
  // Not before Linux 5.3.
  const descriptor about(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  pollfd ended{about.get(), POLLIN, 0};
  int count = 0;
  do {
    count = ::poll(&ended, about ? 1 : 0, about ? static_cast<int>(patience.count()) : 0);
  } while (count < 0 && errno == EINTR);
  out.killed = count <= 0;
  if (out.killed) ::kill(pid, SIGKILL);
  out.status = reap(pid);
  return out;
}

}  // namespace rowrunner::child
