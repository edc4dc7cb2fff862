#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/descriptor.hpp"
#include "common/environment.hpp"

namespace rowrunner::providers {

/// Where files may be named. Those of the storage belong to the users who uploaded them, and
/// everyone who enqueues a job may name any file here.
struct data_dir {
  std::filesystem::path root;
  /// The folder of the storage, if it is on this machine: nothing in it is opened.
  std::optional<std::filesystem::path> closed;
  /// The files with the keys of service accounts, which may lie here, but are not for jobs.
  std::vector<std::filesystem::path> keys = {};
};

/// As DATA_DIR, LOCAL_STORAGE_PATH and the variables that name keys say.
data_dir data_dir_from(const environment& env);

/// What to tell the operator if one of the two folders contains the other.
std::optional<std::string> warning_about(const data_dir& where);

/// The path that a file:// URL or local:path names below `root`. Throws provider_error (final) for
/// what is neither, as a file:// URL of another machine.
std::filesystem::path path_in_data_dir(const std::filesystem::path& root, std::string_view file_id);

/// Opens a regular file of at most `limit` bytes. Links are followed, but what they lead to must
/// lie below the root and not in the storage, and be no key: the open file is asked where it is, so
/// that nothing can be exchanged meanwhile. Blocks. Throws provider_error (final), which does not
/// tell what exists outside.
descriptor open_in_data_dir(const data_dir& where, const std::filesystem::path& path,
                            std::uint64_t limit);

}  // namespace rowrunner::providers
