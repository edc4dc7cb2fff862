#pragma once

#include <algorithm>
#include <cstdint>

namespace rowrunner::spot_images {

struct colour {
  double red = 0;
  double green = 0;
  double blue = 0;
};

constexpr colour hex(std::uint32_t code) {
  return {((code >> 16U) & 0xffU) / 255.0, ((code >> 8U) & 0xffU) / 255.0, (code & 0xffU) / 255.0};
}

constexpr colour mix(colour from, colour to, double share) {
  return {from.red + (to.red - from.red) * share, from.green + (to.green - from.green) * share,
          from.blue + (to.blue - from.blue) * share};
}

constexpr colour times(colour base, colour light) {
  return {base.red * light.red, base.green * light.green, base.blue * light.blue};
}

constexpr colour darker(colour base, double share) { return mix(base, colour{0, 0, 0}, share); }
constexpr colour lighter(colour base, double share) { return mix(base, colour{1, 1, 1}, share); }

/// Turns the hue by a small angle in radians and keeps the brightness.
colour turn_hue(colour base, double angle);

}  // namespace rowrunner::spot_images
