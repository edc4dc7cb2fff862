#pragma once

#include "api/route.hpp"
#include "api/web_files.hpp"

namespace rowrunner::api {

/// The file that a path stands for; index.html for "/" and for paths of the page itself, such as
/// "/jobs" or "/plan/kyoto", which have no dot. Nothing for other paths and for those of routes.
const web_file* find_page(const std::vector<web_file>& pages, std::string_view path);

/// The route that serves them. It is not in the table: its paths are whatever the others leave.
const route& page_route();

}  // namespace rowrunner::api
