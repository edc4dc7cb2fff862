#pragma once

#include <filesystem>

#include "common/descriptor.hpp"

namespace rowrunner::pdf {

/// A file that a child writes. It has another name until it is whole, and is removed otherwise.
class new_file {
 public:
  /// Throws std::system_error.
  explicit new_file(std::filesystem::path name);
  ~new_file();
  new_file(const new_file&) = delete;
  new_file& operator=(const new_file&) = delete;

  /// Once.
  descriptor to_write() { return std::move(open_); }
  /// It is whole. Throws std::filesystem::filesystem_error.
  void keep();

 private:
  const std::filesystem::path name_;
  std::filesystem::path meanwhile_;
  descriptor open_;
};

}  // namespace rowrunner::pdf
