#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rowrunner::spot_images {

struct plan_spot {
  std::string name;
  std::string area;
  std::string description;
  /// Of a picture that exists already.
  std::optional<std::string> image_url;
};

struct plan {
  std::string id;
  std::string title;
  std::vector<plan_spot> spots;
};

/// Larger plan files are refused.
constexpr std::size_t max_plan_file = 16u << 20;

/// Reads a plan file:
///
///   {"plan_id": "kyoto", "title": "…",
///    "spots": [{"spot_name": "…", "area": "…", "description": "…", "image_url": "…"}]}
///
/// image_url may be left out, be null or empty. All names come out in normal form C. Throws
/// bad_input, which names the place as in "spots[3].spot_name is missing".
plan parse_plan(std::string_view json);

}  // namespace rowrunner::spot_images
