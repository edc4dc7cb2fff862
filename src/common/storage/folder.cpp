#include "common/storage/folder.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <memory>
#include <random>
#include <rowrunner/bad_input.hpp>
#include <system_error>
#include <utility>
#include <vector>

#include "common/descriptor.hpp"
#include "common/storage/error.hpp"
#include "common/storage/key.hpp"

// How a file gets into the folder.
//
// Its bytes are written to a new file in root/.tmp and forced to the disk; then it is renamed to
// its place, and the entry in its directory is forced to the disk as well. At every moment readers,
// and a process that reads after a crash, see the old file or the whole new one. What a crash
// leaves behind is in .tmp only, and check_writable() takes it away after a day.
//
// No path is ever given to the system as a whole: each segment is opened from the directory before
// it, with O_NOFOLLOW. So a symbolic link inside of the folder is an error and cannot lead out of
// it, also if it is put there at this very moment.

namespace rowrunner::storage {
namespace {

constexpr const char* temporary_folder = ".tmp";
constexpr std::time_t leftover_age = 24 * 60 * 60;

[[noreturn]] void fail(const std::string& what, int reason) {
  const bool temporary = reason == ENOSPC || reason == EDQUOT || reason == EIO ||
                         reason == EMFILE || reason == ENFILE || reason == ENOMEM;
  throw error("storage folder " + what + ": " + std::strerror(reason), temporary);
}

bool is_missing(int reason) { return reason == ENOENT; }

descriptor open_root(const std::string& root) {
  return descriptor(::open(root.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

descriptor open_directory(const descriptor& in, const std::string& name) {
  return descriptor(
      ::openat(in.get(), name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

// A new directory is part of what must survive a crash, and so is its entry in the one above.
descriptor make_directory(const descriptor& in, const std::string& name) {
  descriptor found = open_directory(in, name);
  if (found || !is_missing(errno)) return found;
  if (::mkdirat(in.get(), name.c_str(), 0777) != 0 && errno != EEXIST) return descriptor();
  if (::fsync(in.get()) != 0) return descriptor();
  return open_directory(in, name);
}

// Best effort: not every folder above the root is ours to read.
void sync_folders_above(const std::string& root) {
  auto path = std::filesystem::absolute(root).lexically_normal();
  while (path.has_relative_path()) {
    path = path.parent_path();
    if (const descriptor above = open_root(path.string())) ::fsync(above.get());
  }
}

descriptor make_root(const std::string& root) {
  std::error_code failure;
  const bool made = std::filesystem::create_directories(root, failure);
  if (failure) fail(root + " cannot be made", failure.value());
  if (made) sync_folders_above(root);
  descriptor out = open_root(root);
  if (!out) fail(root + " cannot be opened", errno);
  return out;
}

// What openat says about a symbolic link depends on what else it was told.
[[noreturn]] void fail_at(const std::string& root, const std::string& segment, int reason) {
  if (reason == ELOOP || reason == ENOTDIR) {
    throw error("storage folder " + root + ": " + segment + " is in the way: not a plain folder",
                false);
  }
  fail(root + ": " + segment, reason);
}

struct place {
  descriptor directory;  ///< None if a folder on the way does not exist.
  std::string name;
};

place find(const std::string& root, const std::string& key) {
  auto path = segments(key);
  place out{open_root(root), path.back()};
  path.pop_back();
  if (!out.directory && !is_missing(errno)) fail(root + " cannot be opened", errno);
  for (const auto& each : path) {
    if (!out.directory) break;
    out.directory = open_directory(out.directory, each);
    if (!out.directory && !is_missing(errno)) fail_at(root, each, errno);
  }
  return out;
}

place make(const descriptor& base, const std::string& root, const std::string& key) {
  auto path = segments(key);
  place out{descriptor(::fcntl(base.get(), F_DUPFD_CLOEXEC, 0)), path.back()};
  path.pop_back();
  if (!out.directory) fail(root, errno);
  for (const auto& each : path) {
    out.directory = make_directory(out.directory, each);
    if (!out.directory) fail_at(root, each, errno);
  }
  return out;
}

void write_all(int fd, std::string_view bytes, const std::string& root) {
  while (!bytes.empty()) {
    const auto written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail(root + " cannot be written", errno);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

/// A file in .tmp that goes away unless it is moved to its place.
class temporary_file {
 public:
  temporary_file(const descriptor& base, const std::string& root)
      : root_(root), directory_(make_directory(base, temporary_folder)), name_(random_name()) {
    if (!directory_) fail_at(root_, temporary_folder, errno);
    file_ = descriptor(::openat(directory_.get(), name_.c_str(),
                                O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666));
    if (!file_) fail(root_ + " cannot be written", errno);
  }
  ~temporary_file() {
    if (!moved_) ::unlinkat(directory_.get(), name_.c_str(), 0);
  }
  temporary_file(const temporary_file&) = delete;
  temporary_file& operator=(const temporary_file&) = delete;

  void write(std::string_view bytes) { write_all(file_.get(), bytes, root_); }

  // Some file systems report only at close() that there was no room.
  void sync() {
    if (::fsync(file_.get()) != 0 || ::close(file_.release()) != 0) {
      fail(root_ + " cannot be written", errno);
    }
  }

  void move_to(const place& target) {
    if (::renameat(directory_.get(), name_.c_str(), target.directory.get(), target.name.c_str()) !=
        0) {
      fail(root_ + ": " + target.name + " cannot be written", errno);
    }
    moved_ = true;
    if (::fsync(target.directory.get()) != 0) fail(root_ + " cannot be written", errno);
  }

 private:
  static std::string random_name() {
    std::random_device random;
    std::string out;
    for (int i = 0; i < 4; ++i) out += std::to_string(random()) + "-";
    return out + std::to_string(::getpid());
  }

  const std::string root_;
  const descriptor directory_;
  const std::string name_;
  descriptor file_;
  bool moved_ = false;
};

void clear_leftovers(const descriptor& base) {
  descriptor directory = open_directory(base, temporary_folder);
  if (!directory) return;
  struct closer {
    void operator()(DIR* list) const { ::closedir(list); }
  };
  const std::unique_ptr<DIR, closer> list(::fdopendir(directory.get()));
  if (!list) return;
  const int fd = directory.release();
  while (const dirent* entry = ::readdir(list.get())) {
    struct stat about {};
    const bool known = ::fstatat(fd, entry->d_name, &about, AT_SYMLINK_NOFOLLOW) == 0;
    if (known && S_ISREG(about.st_mode) && about.st_mtime < std::time(nullptr) - leftover_age) {
      ::unlinkat(fd, entry->d_name, 0);
    }
  }
}

}  // namespace

void folder::check(const std::string& key) const {
  check_key(key);
  if (segments(key).front() == temporary_folder) {
    throw bad_input("storage key: the folder .tmp is the storage's own");
  }
}

struct folder::writer::state {
  state(const descriptor& base, const std::string& root, const std::string& key)
      : target(make(base, root, key)), file(base, root) {}

  const place target;
  temporary_file file;
};

folder::writer::writer(const std::string& root, const std::string& key)
    : state_(std::make_unique<state>(make_root(root), root, key)) {}

folder::writer::~writer() = default;

void folder::writer::write(std::string_view bytes) { state_->file.write(bytes); }

void folder::writer::commit() {
  state_->file.sync();
  state_->file.move_to(state_->target);
}

folder::reader::reader(int fd, std::uint64_t size, std::string name)
    : fd_(fd), size_(size), name_(std::move(name)) {}

folder::reader::~reader() { ::close(fd_); }

std::string folder::reader::read(std::size_t at_most) {
  const auto left = std::min<std::uint64_t>(at_most, size_ - at_);
  std::string out(static_cast<std::size_t>(left), '\0');
  std::size_t filled = 0;
  while (filled < out.size()) {
    const auto got = ::read(fd_, out.data() + filled, out.size() - filled);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(name_, errno);
    if (got == 0) throw error("storage folder " + name_ + ": was cut while it was read", true);
    filled += static_cast<std::size_t>(got);
  }
  at_ += filled;
  return out;
}

std::shared_ptr<folder::writer> folder::begin(const std::string& key) const {
  check(key);
  return std::make_shared<writer>(root_, key);
}

std::shared_ptr<folder::reader> folder::open(const std::string& key,
                                             std::uint64_t max_bytes) const {
  check(key);
  const place target = find(root_, key);
  if (!target.directory) return nullptr;
  // Not to wait for a writer, should there be a pipe.
  descriptor file(::openat(target.directory.get(), target.name.c_str(),
                           O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!file && is_missing(errno)) return nullptr;
  struct stat about {};
  if (!file) fail_at(root_, target.name, errno);
  if (::fstat(file.get(), &about) != 0) fail(root_ + ": " + key, errno);
  if (!S_ISREG(about.st_mode)) {
    throw error("storage folder " + root_ + ": " + key + " is not a plain file", false);
  }
  const auto size = static_cast<std::uint64_t>(about.st_size);
  if (size > max_bytes) {
    throw error("storage folder " + root_ + ": " + key + " is larger than " +
                    std::to_string(max_bytes) + " bytes",
                false);
  }
  return std::make_shared<reader>(file.release(), size, root_ + ": " + key);
}

void folder::put(const std::string& key, std::string_view bytes) const {
  const auto file = begin(key);
  file->write(bytes);
  file->commit();
}

std::optional<std::string> folder::get(const std::string& key, std::size_t max_bytes) const {
  const auto file = open(key, max_bytes);
  if (!file) return std::nullopt;
  return file->read(static_cast<std::size_t>(file->size()));
}

bool folder::exists(const std::string& key) const {
  check(key);
  const place target = find(root_, key);
  if (!target.directory) return false;
  struct stat about {};
  if (::fstatat(target.directory.get(), target.name.c_str(), &about, AT_SYMLINK_NOFOLLOW) == 0) {
    return S_ISREG(about.st_mode);
  }
  if (!is_missing(errno)) fail(root_ + ": " + key, errno);
  return false;
}

void folder::remove(const std::string& key) const {
  check(key);
  const place target = find(root_, key);
  if (!target.directory) return;
  if (::unlinkat(target.directory.get(), target.name.c_str(), 0) != 0) {
    if (is_missing(errno)) return;
    fail(root_ + ": " + key + " cannot be removed", errno);
  }
  if (::fsync(target.directory.get()) != 0) fail(root_ + ": " + key, errno);
}

void folder::check_writable() const {
  const descriptor base = make_root(root_);
  temporary_file probe(base, root_);
  probe.write("rowrunner");
  probe.sync();
  clear_leftovers(base);
}

}  // namespace rowrunner::storage
