#pragma once

#include <filesystem>

namespace rowrunner {

/// A folder for working copies, which goes away with all that is in it.
class scratch_folder {
 public:
  /// Below `parent`, or the system's folder for temporary files if it is empty. Throws
  /// std::system_error.
  explicit scratch_folder(const std::filesystem::path& parent = {});
  ~scratch_folder();
  scratch_folder(const scratch_folder&) = delete;
  scratch_folder& operator=(const scratch_folder&) = delete;

  const std::filesystem::path& path() const noexcept { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace rowrunner
