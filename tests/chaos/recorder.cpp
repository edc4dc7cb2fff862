#include "chaos/recorder.hpp"

#include <fcntl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace rowrunner::chaos {

std::int64_t real_time_us() {
  timespec now{};
  syscall(SYS_clock_gettime, CLOCK_REALTIME, &now);
  return std::int64_t{now.tv_sec} * 1'000'000 + now.tv_nsec / 1'000;
}

int open_record(const std::string& path) {
  const int file = open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
  if (file < 0) throw std::system_error(errno, std::generic_category(), path);
  return file;
}

void append_record(int file, std::string_view line) {
  std::string text = std::to_string(real_time_us()) + " ";
  for (const char c : line) text += c == '\n' ? ' ' : c;
  text += '\n';
  if (write(file, text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    throw std::system_error(errno, std::generic_category(), "a record could not be written");
  }
}

}  // namespace rowrunner::chaos
