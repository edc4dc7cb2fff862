#pragma once

#include <sys/types.h>

#include <cstddef>
#include <ctime>
#include <span>

namespace rowrunner::pdf {

/// Which file a descriptor stands for, to know it again.
struct file_id {
  dev_t device = 0;
  ino_t number = 0;
  off_t size = 0;
  std::timespec changed{};

  bool operator==(const file_id& other) const noexcept;
};

file_id id_of(int fd);

/// The bytes of an open file, mapped into memory.
class foreign_file {
 public:
  /// Throws std::runtime_error for an empty file, and one that does not fit.
  explicit foreign_file(int fd);
  ~foreign_file();
  foreign_file(const foreign_file&) = delete;
  foreign_file& operator=(const foreign_file&) = delete;

  std::span<const char> bytes() const noexcept { return {data_, size_}; }

 private:
  const char* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace rowrunner::pdf
