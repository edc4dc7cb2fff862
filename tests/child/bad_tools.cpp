#include "child/bad_tools.hpp"

#include <fcntl.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>

extern char** environ;

namespace rowrunner::testing {
namespace {

using nlohmann::json;

/// 0, or what errno says.
json outcome(long result) { return result < 0 ? errno : 0; }

json echo(const json& arguments) { return arguments; }

json refuse(const json& arguments) { throw std::runtime_error(arguments.at("why")); }

json pid(const json&) { return {{"self", ::getpid()}, {"parent", ::getppid()}}; }

/// So that the memory is really used.
json allocate(const json& arguments) {
  const auto bytes = arguments.at("bytes").get<std::size_t>();
  const std::string taken(bytes, 'x');
  return taken.size();
}

/// As libraries in C do.
json allocate_carelessly(const json& arguments) {
  const auto bytes = arguments.at("bytes").get<std::size_t>();
  auto* volatile taken = static_cast<char*>(std::malloc(bytes));
  if (taken == nullptr) std::abort();
  std::memset(taken, 1, bytes);
  std::free(taken);
  return bytes;
}

json spin(const json&) {
  for (volatile bool on = true; on;) continue;
  return nullptr;
}

json wait(const json&) {
  for (;;) ::pause();
}

/// The first file gets the number of the process once it is at work.
json wait_visibly(const json& arguments) {
  const auto line = std::to_string(::getpid()) + "\n";
  if (::write(arguments.at("files").at(0), line.data(), line.size()) < 0) return nullptr;
  return wait(arguments);
}

json write_file(const json& arguments) {
  const std::string block(1 << 20, 'x');
  const int file = arguments.at("files").at(0);
  for (int i = arguments.at("megabytes"); i > 0; --i) {
    if (::write(file, block.data(), block.size()) < 0) throw std::runtime_error("not written");
  }
  return nullptr;
}

json read_file(const json& arguments) {
  std::string text(100, '\0');
  const auto got = ::pread(arguments.at("files").at(0).get<int>(), text.data(), text.size(), 0);
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(0, got)));
  return text;
}

json print(const json& arguments) {
  return std::string(arguments.at("bytes").get<std::size_t>(), 'x');
}

/// Past child::serve: more than it would send.
json print_directly(const json&) {
  const std::string block(1 << 20, '\x7f');
  while (::write(0, block.data(), block.size()) > 0) continue;
  return nullptr;
}

json babble(const json&) {
  const std::string text = std::string("\x04\0\0\0", 4) + "{{{{";
  if (::write(0, text.data(), text.size()) < 0) throw std::runtime_error("not written");
  return wait({});
}

json segfault(const json&) {
  ::raise(SIGSEGV);
  return nullptr;
}

int deeper(int levels) {
  volatile char block[4096] = {};
  block[0] = 1;
  return levels == 0 ? 0 : block[0] + deeper(levels - 1);
}

json overflow_stack(const json&) { return deeper(1'000'000); }

json abort_it(const json&) { std::abort(); }

/// Stays with the process, as what a library forgets does.
json leak(const json& arguments) {
  const auto bytes = arguments.at("bytes").get<std::size_t>();
  auto* volatile taken = static_cast<char*>(std::malloc(bytes));
  if (taken == nullptr) throw std::bad_alloc();
  taken[0] = 1;
  return bytes;
}

json crash_the_second_time(const json&) {
  static int calls = 0;
  if (++calls > 1) std::abort();
  return ::getpid();
}

/// Closes the connection before the end of the process.
json hang_up(const json& arguments) {
  ::close(0);
  if (arguments.at("code").is_null()) return wait(arguments);
  ::usleep(5'000);
  ::_exit(arguments.at("code"));
}

json leave(const json& arguments) { ::_exit(arguments.at("code")); }

/// What each call that is forbidden says.
json forbidden(const json&) {
  json out;
  out["socket"] = outcome(::socket(AF_INET, SOCK_STREAM, 0));
  out["unix_socket"] = outcome(::socket(AF_UNIX, SOCK_STREAM, 0));
  out["ptrace"] = outcome(::ptrace(PTRACE_ATTACH, ::getppid(), nullptr, nullptr));
  out["kill_parent"] = outcome(::kill(::getppid(), SIGTERM));
  out["kill_all"] = outcome(::kill(-1, SIGTERM));
  char name[] = "/bin/true";
  char* arguments[] = {name, nullptr};
  out["exec"] = outcome(::execve(name, arguments, environ));
  const pid_t forked = ::fork();
  if (forked == 0) ::_exit(0);
  out["fork"] = outcome(forked);
  rlimit limit{};
  out["prlimit"] = outcome(::syscall(SYS_prlimit64, ::getppid(), RLIMIT_NOFILE, nullptr, &limit));
  out["mkdir"] = outcome(::mkdir("/tmp/rowrunner-child-test", 0700));
  return out;
}

/// What could change files that are open or named, or reach other processes by a detour.
json forbidden_detours(const json& arguments) {
  json out;
  const char* path = "/usr/share";
  const int file = arguments.at("files").at(0);
  constexpr long fchmodat2 = 452;
  constexpr auto upper_half = std::uint64_t{1} << 32;
  out["fchmodat2"] = outcome(::syscall(fchmodat2, AT_FDCWD, path, 0755, 0));
#ifdef SYS_utime
  out["utime"] = outcome(::syscall(SYS_utime, path, nullptr));
  out["utimes"] = outcome(::syscall(SYS_utimes, path, nullptr));
  out["futimesat"] = outcome(::syscall(SYS_futimesat, AT_FDCWD, path, nullptr));
#endif
  out["utimensat"] = outcome(::syscall(SYS_utimensat, file, nullptr, nullptr, 0));
  out["fsetxattr"] = outcome(::fsetxattr(file, "user.x", "x", 1, 0));
  out["removexattr"] = outcome(::removexattr(path, "user.x"));
  out["lremovexattr"] = outcome(::lremovexattr(path, "user.x"));
  out["fremovexattr"] = outcome(::fremovexattr(file, "user.x"));
  out["owner"] = outcome(::fcntl(file, F_SETOWN, ::getppid()));
  const f_owner_ex parent{F_OWNER_PID, ::getppid()};
  out["owner_ex"] = outcome(::fcntl(file, F_SETOWN_EX, &parent));
  out["signal"] = outcome(::fcntl(file, F_SETSIG, SIGTERM));
  // The kernel takes the lower half of the command alone.
  out["owner_in_disguise"] =
      outcome(::syscall(SYS_fcntl, file, F_SETOWN | upper_half, ::getppid()));
  int on = 1;
  out["async"] = outcome(::ioctl(file, FIOASYNC, &on));
  pid_t whom = ::getppid();
  out["ioctl_owner"] = outcome(::ioctl(file, FIOSETOWN, &whom));
  out["ioctl_group"] = outcome(::ioctl(file, SIOCSPGRP, &whom));
  out["tgkill"] = outcome(::syscall(SYS_tgkill, ::getppid(), ::getppid(), SIGTERM));
  const sched_param none{};
  out["scheduler"] = outcome(::sched_setscheduler(::getppid(), SCHED_BATCH, &none));
  return out;
}

json unknown_calls(const json&) {
  json out = json::array();
  for (const long each : {463, 466, 470, 1000}) out.push_back(outcome(::syscall(each, 0, 0, 0)));
  return out;
}

json threads(const json&) {
  int seen = 0;
  std::thread other([&seen] { seen = 1; });
  other.join();
  return seen;
}

json open_path(const json& arguments) {
  const int flags = arguments.value("write", false) ? O_WRONLY | O_CREAT : O_RDONLY;
  const int file = ::open(arguments.at("path").get<std::string>().c_str(), flags, 0600);
  const auto out = outcome(file);
  if (file >= 0) ::close(file);
  return out;
}

json open_descriptors(const json&) {
  json out = json::array();
  for (int i = 0; i < 1024; ++i) {
    if (::fcntl(i, F_GETFD) >= 0) out.push_back(i);
  }
  return out;
}

json environment_of(const json&) {
  json out = json::array();
  for (char** each = environ; *each != nullptr; ++each) out.push_back(*each);
  return out;
}

}  // namespace

std::vector<child::tool> bad_tools() {
  return {{"echo", echo},
          {"refuse", refuse},
          {"pid", pid},
          {"allocate", allocate},
          {"allocate_carelessly", allocate_carelessly},
          {"spin", spin},
          {"wait", wait},
          {"wait_visibly", wait_visibly},
          {"write_file", write_file},
          {"read_file", read_file},
          {"print", print},
          {"print_directly", print_directly},
          {"babble", babble},
          {"segfault", segfault},
          {"overflow_stack", overflow_stack},
          {"abort", abort_it},
          {"leak", leak},
          {"crash_the_second_time", crash_the_second_time},
          {"hang_up", hang_up},
          {"leave", leave},
          {"forbidden", forbidden},
          {"forbidden_detours", forbidden_detours},
          {"unknown_calls", unknown_calls},
          {"threads", threads},
          {"open_path", open_path},
          {"open_descriptors", open_descriptors},
          {"environment", environment_of}};
}

}  // namespace rowrunner::testing
