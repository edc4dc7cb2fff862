#include "common/scratch_folder.hpp"

#include <cerrno>
#include <cstdlib>
#include <string>
#include <system_error>

namespace rowrunner {

namespace fs = std::filesystem;

scratch_folder::scratch_folder(const fs::path& parent) {
  const auto base = parent.empty() ? fs::temp_directory_path() : parent;
  std::string name = (base / "rowrunner-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) {
    throw std::system_error(errno, std::generic_category(), "no folder in " + base.string());
  }
  path_ = name;
}

scratch_folder::~scratch_folder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace rowrunner
