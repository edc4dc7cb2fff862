#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace rowrunner::storage {

/// A folder of files by key; nothing outside of it can be reached, whatever links lie inside. All
/// functions block, and may be called from any thread. They throw bad_input and error.
class folder {
 public:
  /// `root` need not exist; put() makes it.
  explicit folder(std::string root) : root_(std::move(root)) {}

  void put(const std::string& key, std::string_view bytes) const;
  std::optional<std::string> get(const std::string& key, std::size_t max_bytes) const;
  bool exists(const std::string& key) const;
  void remove(const std::string& key) const;

  /// Makes the folder, writes a file and takes it away; also clears what a crash has left.
  void check_writable() const;

  const std::string& root() const noexcept { return root_; }

 private:
  void check(const std::string& key) const;

  const std::string root_;
};

}  // namespace rowrunner::storage
