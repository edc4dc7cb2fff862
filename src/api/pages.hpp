#pragma once

#include "api/route.hpp"
#include "api/web_files.hpp"

namespace rowrunner::api {

/// The file of that path, index.html for "/". The page keeps its state behind "#", so every other
/// path is unknown: a probe of a mistyped health route must not see a page.
const web_file* find_page(const std::vector<web_file>& pages, std::string_view path);

/// The route that serves them. It is not in the table: its paths are whatever the others leave.
const route& page_route();

}  // namespace rowrunner::api
