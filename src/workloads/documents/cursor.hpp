#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/message.hpp"

namespace rowrunner::documents {

/// Where a page of a list ends, as `after` of the next request: "TIME_UUID" or "TIME_UUID_PAGE".
struct list_cursor {
  std::string time;
  std::string id;
  int page = 0;

  std::string text() const;
};

/// Nothing if the request has none. Throws request_error (422) for what no list has given.
std::optional<list_cursor> cursor_of(const api::request& asked);

}  // namespace rowrunner::documents
