#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <new>
#include <stdexcept>

#include "common/child/confinement.hpp"
#include "common/child/orders.hpp"
#include "common/child/tool.hpp"
#include "common/child/wire.hpp"

namespace rowrunner::child {
namespace {

using nlohmann::json;

/// The parent connects it to stdin.
constexpr int parent = 0;

bool is_socket(int fd) {
  struct stat about {};
  return ::fstat(fd, &about) == 0 && S_ISSOCK(about.st_mode);
}

/// Libraries that get no memory abort or use the null pointer. errno still tells why.
void on_fault(int signal) {
  if (errno == ENOMEM) ::_exit(exit_out_of_memory);
  // With the default action, once this returns.
  ::raise(signal);
}

void watch_faults() {
  static std::array<std::byte, 16 * 1024> stack;
  const stack_t own{stack.data(), 0, stack.size()};
  ::sigaltstack(&own, nullptr);
  struct sigaction action {};
  action.sa_handler = on_fault;
  action.sa_flags = static_cast<int>(SA_ONSTACK | SA_RESETHAND);
  for (const int each : {SIGABRT, SIGSEGV}) ::sigaction(each, &action, nullptr);
}

json confine(const orders& given) {
  auto missing = limit_resources(given.allowed);
  auto files = limit_files(given.readable);
  const bool any_file = !files.empty();
  if (any_file) missing.push_back(std::move(files));
  auto calls = limit_system_calls(any_file);
  if (!calls.empty()) missing.push_back(std::move(calls));
  return missing;
}

const tool& find(std::span<const tool> tools, const std::string& name) {
  for (const auto& each : tools) {
    if (each.name == name) return each;
  }
  throw std::runtime_error("there is no tool " + name);
}

json run(std::span<const tool> tools, const message& request) {
  auto arguments = request.body.at("arguments");
  auto& numbers = arguments["files"] = json::array();
  for (const auto& each : request.files) numbers.push_back(each.get());
  return find(tools, request.body.at("tool").get<std::string>()).run(arguments);
}

std::string answer(std::span<const tool> tools, const message& request, const limits& allowed) {
  try {
    errno = 0;
    auto text = text_of(json{{"answer", run(tools, request)}});
    if (text.size() <= allowed.output_bytes) return text;
    return text_of(json{{"too_large", text.size()}});
  } catch (const std::bad_alloc&) {
    return text_of(json{{"out_of_memory", true}});
  } catch (const std::exception& error) {
    return text_of(json{{"refused", error.what()}});
  }
}

void serve_parent(std::span<const tool> tools) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const auto first = receive(parent, -1);
  if (!first) return;
  const auto given = first->body.get<orders>();
  // It may have died before it was watched.
  if (::getppid() != given.parent) return;
  watch_faults();
  send(parent, text_of(json{{"missing", confine(given)}}));
  while (const auto request = receive(parent, given.idle_ms)) {
    renew_cpu_time(given.allowed.cpu);
    send(parent, answer(tools, *request, given.allowed));
  }
}

}  // namespace

int serve(std::span<const tool> tools) {
  if (!is_socket(parent)) {
    std::cerr << "rowrunner: child-tools is started by rowrunner itself\n";
    return 2;
  }
  try {
    serve_parent(tools);
  } catch (const std::exception& error) {
    std::cerr << "rowrunner: a child process ends: " << error.what() << '\n';
    ::_exit(1);
  }
  // What libraries do at the end of a process is of no use here.
  ::_exit(0);
}

}  // namespace rowrunner::child
