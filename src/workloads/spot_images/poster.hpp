#pragma once

#include <string>

namespace rowrunner::spot_images {

struct place_text {
  std::string name;
  std::string area;
  std::string description;
};

/// Paints a travel poster of the place and gives the bytes of a PNG file. The same text gives the
/// same bytes; any thread may call it at any time. The text may be anything: what is not UTF-8 is
/// shown as replacement characters. Throws std::invalid_argument for a size outside of 64 to 8192
/// pixels and std::runtime_error when Cairo fails, as when memory is short.
std::string paint_poster(const place_text& place, int width = 1200, int height = 900);

}  // namespace rowrunner::spot_images
