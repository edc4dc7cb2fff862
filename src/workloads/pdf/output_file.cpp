#include "workloads/pdf/output_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "common/descriptor.hpp"

namespace rowrunner::pdf {
namespace {

[[noreturn]] void fail() {
  throw std::system_error(errno, std::generic_category(), "the result cannot be written");
}

}  // namespace

output_file output_to(int fd) {
  descriptor own(::fcntl(fd, F_DUPFD_CLOEXEC, 0));
  if (!own) fail();
  // The position is shared with a child that has ended: what it wrote does not count.
  if (::ftruncate(own.get(), 0) != 0 || ::lseek(own.get(), 0, SEEK_SET) != 0) fail();
  output_file out(::fdopen(own.get(), "wb"));
  if (!out) fail();
  own.release();
  return out;
}

void finish(const output_file& file) {
  if (std::fflush(file.get()) != 0 || std::ferror(file.get()) != 0) fail();
}

}  // namespace rowrunner::pdf
