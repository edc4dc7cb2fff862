#include "common/file_stream.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <random>
#include <system_error>

#include "common/descriptor.hpp"

namespace rowrunner {

namespace asio = boost::asio;

namespace {

[[noreturn]] void fail(const std::filesystem::path& path) {
  throw std::system_error(errno, std::generic_category(), "file " + path.string());
}

std::filesystem::path beside(const std::filesystem::path& path) {
  std::random_device random;
  const auto name = path.filename().string() + ".part-" + std::to_string(random());
  return path.parent_path() / name;
}

}  // namespace

struct file_source::open_file {
  explicit open_file(const std::filesystem::path& name)
      : path(name), file(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    struct stat about {};
    if (!file || ::fstat(file.get(), &about) != 0) fail(path);
    size = static_cast<std::uint64_t>(about.st_size);
  }

  std::string read(std::uint64_t at) const {
    std::string piece(static_cast<std::size_t>(std::min<std::uint64_t>(stream_piece, size - at)),
                      '\0');
    ssize_t got = -1;
    do {
      got = ::pread(file.get(), piece.data(), piece.size(), static_cast<off_t>(at));
    } while (got < 0 && errno == EINTR);
    if (got < 0) fail(path);
    piece.resize(static_cast<std::size_t>(got));
    return piece;
  }

  const std::filesystem::path path;
  const descriptor file;
  std::uint64_t size = 0;
};

file_source::file_source(const std::filesystem::path& path, offload elsewhere)
    : file_(std::make_shared<const open_file>(path)), offload_(std::move(elsewhere)) {}

std::uint64_t file_source::size() const { return file_->size; }

asio::awaitable<std::string> file_source::read() {
  const auto work = [file = file_, at = at_] { return file->read(at); };
  auto piece = co_await result_of<std::string>(offload_, work);
  at_ += piece.size();
  co_return piece;
}

struct file_sink::open_file {
  explicit open_file(std::filesystem::path name)
      : target(std::move(name)),
        path(beside(target)),
        file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666)) {
    if (!file) fail(target);
  }
  ~open_file() {
    if (!moved) ::unlink(path.c_str());
  }
  open_file(const open_file&) = delete;
  open_file& operator=(const open_file&) = delete;

  void write(std::string_view piece, std::uint64_t at) const {
    while (!piece.empty()) {
      const auto written = ::pwrite(file.get(), piece.data(), piece.size(), static_cast<off_t>(at));
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) fail(target);
      piece.remove_prefix(static_cast<std::size_t>(written));
      at += static_cast<std::uint64_t>(written);
    }
  }

  // An earlier try may have written more.
  void finish(std::uint64_t size) {
    if (::ftruncate(file.get(), static_cast<off_t>(size)) != 0) fail(target);
    if (::close(file.release()) != 0) fail(target);
    if (std::rename(path.c_str(), target.c_str()) != 0) fail(target);
    moved = true;
  }

  const std::filesystem::path target;
  const std::filesystem::path path;
  descriptor file;
  bool moved = false;
};

file_sink::file_sink(std::filesystem::path path, offload elsewhere)
    : file_(std::make_shared<open_file>(std::move(path))), offload_(std::move(elsewhere)) {}

file_sink::~file_sink() = default;

void file_sink::restart() { at_ = 0; }

asio::awaitable<void> file_sink::write(std::string piece) {
  const auto size = piece.size();
  const auto work = [file = file_, at = at_, piece = std::move(piece)] {
    file->write(piece, at);
    return true;
  };
  co_await result_of<bool>(offload_, work);
  at_ += size;
}

asio::awaitable<void> file_sink::finish() {
  const auto work = [file = file_, size = at_] {
    file->finish(size);
    return true;
  };
  co_await result_of<bool>(offload_, work);
}

}  // namespace rowrunner
