#include "workloads/providers/data_dir.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>

#include "common/http/url.hpp"
#include "common/storage/make_store.hpp"
#include "workloads/providers/error.hpp"

namespace rowrunner::providers {

namespace fs = std::filesystem;

namespace {

provider_error no_such_file() { return provider_error("fileId names no file in DATA_DIR", true); }

bool is_below(const fs::path& root, const fs::path& path) {
  const auto [end, rest] = std::mismatch(root.begin(), root.end(), path.begin(), path.end());
  return end == root.end() && rest != path.end();
}

bool is_in(const fs::path& root, const fs::path& path) {
  return root == path || is_below(root, path);
}

fs::path place_of(int fd) {
  std::error_code failed;
  const auto place = fs::read_symlink("/proc/self/fd/" + std::to_string(fd), failed);
  return failed ? fs::path() : place;
}

// By its inode, as it may have several names.
bool is_one_of(const std::vector<fs::path>& files, const struct stat& facts) {
  return std::ranges::any_of(files, [&facts](const fs::path& file) {
    struct stat other {};
    return ::stat(file.c_str(), &other) == 0 && other.st_dev == facts.st_dev &&
           other.st_ino == facts.st_ino;
  });
}

}  // namespace

data_dir data_dir_from(const environment& env) {
  data_dir where{env.get("DATA_DIR").value_or("/data"), storage::local_folder(env)};
  for (const char* variable : {"DRIVE_SERVICE_ACCOUNT_JSON", "GOOGLE_APPLICATION_CREDENTIALS"}) {
    if (const auto key = env.get(variable)) where.keys.emplace_back(*key);
  }
  return where;
}

std::optional<std::string> warning_about(const data_dir& where) {
  if (!where.closed) return std::nullopt;
  const auto root = fs::weakly_canonical(fs::absolute(where.root));
  if (is_in(*where.closed, root)) {
    return "DATA_DIR lies in the folder of the storage (LOCAL_STORAGE_PATH): none of its files can "
           "be named by jobs";
  }
  if (!is_below(root, *where.closed)) return std::nullopt;
  return "the folder of the storage (LOCAL_STORAGE_PATH) lies in DATA_DIR: jobs cannot name its "
         "files; put it elsewhere";
}

fs::path path_in_data_dir(const fs::path& root, std::string_view file_id) {
  constexpr std::string_view local = "local:";
  constexpr std::string_view file = "file://";
  std::string path;
  if (file_id.starts_with(local)) {
    path = file_id.substr(local.size());
  } else if (file_id.starts_with(file)) {
    auto rest = file_id.substr(file.size());
    if (rest.starts_with("localhost/")) rest.remove_prefix(std::string_view("localhost").size());
    if (!rest.starts_with('/')) {
      throw provider_error("fileId: a file:// URL names a path on this machine", true);
    }
    path = http::percent_decode(rest);
  }
  if (path.empty() || path.find('\0') != std::string::npos) throw no_such_file();
  const fs::path given(path);
  return given.is_absolute() ? given : root / given;
}

descriptor open_in_data_dir(const data_dir& where, const fs::path& path, std::uint64_t limit) {
  std::error_code failed;
  const auto base = fs::canonical(where.root, failed);
  if (failed) throw provider_error("DATA_DIR cannot be read", true);
  // Without blocking, as it may be a pipe, and nothing is read before it is known where it lies.
  descriptor opened(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  struct stat facts {};
  const auto place = place_of(opened.get());
  const bool allowed = is_below(base, place) && !(where.closed && is_in(*where.closed, place));
  if (!opened || !allowed || fstat(opened.get(), &facts) != 0 || !S_ISREG(facts.st_mode) ||
      is_one_of(where.keys, facts)) {
    throw no_such_file();
  }
  if (static_cast<std::uint64_t>(facts.st_size) > limit) {
    throw provider_error("the file is larger than " + std::to_string(limit) + " bytes", true);
  }
  return opened;
}

}  // namespace rowrunner::providers
