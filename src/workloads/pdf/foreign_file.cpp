#include "workloads/pdf/foreign_file.hpp"

#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <limits>
#include <stdexcept>
#include <system_error>

namespace rowrunner::pdf {

bool file_id::operator==(const file_id& other) const noexcept {
  return device == other.device && number == other.number && size == other.size &&
         changed.tv_sec == other.changed.tv_sec && changed.tv_nsec == other.changed.tv_nsec;
}

file_id id_of(int fd) {
  struct stat about {};
  if (::fstat(fd, &about) != 0) {
    throw std::system_error(errno, std::generic_category(), "the file cannot be read");
  }
  if (!S_ISREG(about.st_mode)) throw std::runtime_error("it is not a file");
  return {about.st_dev, about.st_ino, about.st_size, about.st_mtim};
}

foreign_file::foreign_file(int fd) {
  const auto size = id_of(fd).size;
  if (size == 0) throw std::runtime_error("the file is empty");
  // The libraries count bytes with int.
  if (size > std::numeric_limits<int>::max()) {
    throw std::runtime_error("the file is larger than 2 GiB");
  }
  size_ = static_cast<std::size_t>(size);
  auto* at = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, fd, 0);
  if (at == MAP_FAILED) {
    throw std::runtime_error("the file is too large for the memory of a child process (" +
                             std::to_string(size_ >> 20) + " MiB)");
  }
  data_ = static_cast<const char*>(at);
}

foreign_file::~foreign_file() {
  if (data_ != nullptr) ::munmap(const_cast<char*>(data_), size_);
}

}  // namespace rowrunner::pdf
