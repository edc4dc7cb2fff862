#include "workloads/pdf/new_file.hpp"

#include <fcntl.h>

#include <cerrno>
#include <cstdlib>
#include <string>
#include <system_error>

namespace rowrunner::pdf {

new_file::new_file(std::filesystem::path name) : name_(std::move(name)) {
  auto pattern = name_.string() + ".XXXXXX";
  open_ = descriptor(::mkostemp(pattern.data(), O_CLOEXEC));
  if (!open_) {
    throw std::system_error(errno, std::generic_category(), "cannot write " + name_.string());
  }
  meanwhile_ = pattern;
}

new_file::~new_file() {
  std::error_code ignored;
  if (!meanwhile_.empty()) std::filesystem::remove(meanwhile_, ignored);
}

void new_file::keep() {
  std::filesystem::rename(meanwhile_, name_);
  meanwhile_.clear();
}

}  // namespace rowrunner::pdf
