#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "workloads/pdf/pdf.hpp"

/// The invisible text over a scanned page; without I/O.
namespace rowrunner::pdf {

struct box {
  double left = 0;
  double bottom = 0;
  double right = 0;
  double top = 0;
};

/// From points of the page as it is seen (the origin is its lower left corner) to those of the
/// file: the box may begin anywhere, and the page may be turned when it is shown.
std::array<double, 6> seen_to_file(const box& crop, int rotation);

/// UTF-16BE in hexadecimal digits, as the font of the layer is encoded.
std::string hex_utf16(std::string_view text);

/// The operators that write the words invisibly, each stretched over its box. `font` is its name
/// among the resources of the page; every character of it is half as wide as the font is high.
std::string text_layer(const page_reading& reading, const box& crop, int rotation,
                       const std::string& font);

}  // namespace rowrunner::pdf
