#include "workloads/pdf_batch/support/children.hpp"

#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

namespace rowrunner::testing {
namespace {

/// The state and the parent, behind the name in parentheses: "12 (rowrunner) S 11 …".
bool is_living_child(const std::filesystem::path& folder, pid_t parent) {
  std::ifstream file(folder / "stat");
  std::string line;
  std::getline(file, line);
  const auto end = line.rfind(") ");
  if (end == std::string::npos || line[end + 2] == 'Z') return false;
  return std::stoi(line.substr(end + 4)) == parent;
}

std::string command_line(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/cmdline");
  std::string out;
  std::getline(file, out);
  return out;
}

/// The kernel tells nothing of other processes' children, so it is asked now and then.
bool becomes_true(const std::function<bool()>& what) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (!what()) {
    if (std::chrono::steady_clock::now() > until) return false;
    ::usleep(2000);
  }
  return true;
}

}  // namespace

std::vector<pid_t> children_of(pid_t parent) {
  std::vector<pid_t> out;
  // A child has its parent's command line until it executes its program, and the thread that starts
  // it is suspended until then: a child that is stopped there would stop that thread, too.
  const auto not_yet_executed = command_line(parent);
  for (const auto& each : std::filesystem::directory_iterator("/proc")) {
    const auto name = each.path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    const auto pid = std::stoi(name);
    if (is_living_child(each.path(), parent) && command_line(pid) != not_yet_executed) {
      out.push_back(pid);
    }
  }
  return out;
}

pid_t stop_child_of(pid_t parent) {
  std::vector<pid_t> found;
  becomes_true([&] { return !(found = children_of(parent)).empty(); });
  if (found.empty() || ::kill(found.front(), SIGSTOP) != 0) return 0;
  return found.front();
}

bool becomes_gone(pid_t pid) {
  return becomes_true([pid] { return ::kill(pid, 0) != 0 && errno == ESRCH; });
}

int peak_memory(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/status");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("VmHWM:")) return std::stoi(line.substr(6)) / 1024;
  }
  return -1;
}

}  // namespace rowrunner::testing
