#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/message.hpp"

namespace rowrunner::api {

/// The target of a request, taken apart and decoded.
struct target {
  /// As it came, without the query.
  std::string path;
  /// Between the slashes of the path, each decoded: an encoded slash does not separate.
  std::vector<std::string> segments;
  text_map query;
};

/// Nothing if it is no path, or an encoded text is broken or not UTF-8 without control characters.
std::optional<target> parse_target(std::string_view whole);

/// The values of {names} of a pattern such as "/api/jobs/{kind}/{id}", or nothing if the path is
/// not one of it. A name does not stand for an empty segment.
std::optional<text_map> match_path(std::string_view pattern,
                                   const std::vector<std::string>& segments);

}  // namespace rowrunner::api
