#include "program/arguments.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "common/environment.hpp"

namespace rowrunner {
namespace {

constexpr std::string_view url_flag = "--database-url";

/// The system shows the bytes that argv pointed to at the start, so they are changed in place.
void hide_password(char* url) {
  const std::size_t size = std::strlen(url);
  const std::string shown = redact_url(url);
  std::memset(url, 0, size);
  std::memcpy(url, shown.data(), std::min(size, shown.size()));
}

}  // namespace

std::vector<std::string> take_arguments(int argc, char** argv) {
  std::vector<std::string> out(argv + std::min(argc, 1), argv + argc);
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (!argument.starts_with(url_flag)) continue;
    if (argument.size() > url_flag.size()) {
      if (argument[url_flag.size()] == '=') hide_password(argv[i] + url_flag.size() + 1);
    } else if (i + 1 < argc) {
      hide_password(argv[++i]);
    }
  }
  return out;
}

}  // namespace rowrunner
