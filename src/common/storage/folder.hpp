#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
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

  /// A file that is written in pieces, and takes its place with commit(); otherwise it goes away.
  class writer {
   public:
    writer(const std::string& root, const std::string& key);
    ~writer();
    writer(const writer&) = delete;
    writer& operator=(const writer&) = delete;

    void write(std::string_view bytes);
    void commit();

   private:
    struct state;
    const std::unique_ptr<state> state_;
  };

  /// A file that is read in pieces, as it was when it was opened.
  class reader {
   public:
    reader(int fd, std::uint64_t size, std::string name);
    ~reader();
    reader(const reader&) = delete;
    reader& operator=(const reader&) = delete;

    std::uint64_t size() const noexcept { return size_; }
    /// Empty at the end only.
    std::string read(std::size_t at_most);

   private:
    const int fd_;
    const std::uint64_t size_;
    const std::string name_;
    std::uint64_t at_ = 0;
  };

  std::shared_ptr<writer> begin(const std::string& key) const;
  /// Null if there is no such file. A file larger than `max_bytes` is an error.
  std::shared_ptr<reader> open(const std::string& key, std::uint64_t max_bytes) const;

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
