#include "common/child/death.hpp"

#include <sys/wait.h>

#include <csignal>
#include <cstring>

#include "common/child/orders.hpp"

namespace rowrunner::child {
namespace {

std::string mebibytes(std::size_t bytes) { return std::to_string(bytes >> 20) + " MiB"; }

}  // namespace

std::optional<error> error_of_death(int status, const limits& allowed) {
  if (WIFEXITED(status)) {
    const int code = WEXITSTATUS(status);
    if (code == 0) return std::nullopt;
    if (code == exit_out_of_memory) {
      return error(failure::out_of_memory,
                   "the file needs more than " + mebibytes(allowed.memory_bytes) + " of memory");
    }
    return error(failure::crashed,
                 "the program that reads the file ended with exit code " + std::to_string(code));
  }
  const int signal = WTERMSIG(status);
  switch (signal) {
    case SIGXCPU:
      return error(failure::out_of_time, "the file needs more than " +
                                             std::to_string(allowed.cpu.count()) +
                                             " s of processor time");
    case SIGXFSZ:
      return error(failure::too_large,
                   "what is made of the file is larger than " + mebibytes(allowed.file_bytes));
    case SIGKILL:
      return error(failure::out_of_memory,
                   "the system ended the program that reads the file: it is out of memory");
    default:
      return error(failure::crashed, std::string("the file crashes the program that reads it (") +
                                         ::strsignal(signal) + ")");
  }
}

}  // namespace rowrunner::child
