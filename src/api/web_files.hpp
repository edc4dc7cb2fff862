#pragma once

#include <string_view>
#include <vector>

namespace rowrunner::api {

/// One file of web/, embedded at build time.
struct web_file {
  /// "/app.js"
  std::string_view path;
  std::string_view bytes;
  /// With its quotes.
  std::string_view etag;
};

const std::vector<web_file>& web_files();

}  // namespace rowrunner::api
