#include "workloads/spot_images/poster/finish.hpp"

#include <algorithm>
#include <cmath>

#include "workloads/spot_images/poster/chance.hpp"

namespace rowrunner::spot_images {
namespace {

std::uint32_t shifted(std::uint32_t pixel, int by) {
  auto channel = [&](unsigned place) {
    int value = static_cast<int>((pixel >> place) & 0xffU) + by;
    return static_cast<std::uint32_t>(std::clamp(value, 0, 255)) << place;
  };
  return channel(16) | channel(8) | channel(0);
}

}  // namespace

void paint_vignette(const canvas& on, double alpha) {
  cairo_t* pen = on.pen();
  double reach = std::hypot(on.width(), on.height()) / 2;
  cairo_pattern_t* shade = cairo_pattern_create_radial(
      on.width() / 2, on.height() * 0.48, reach * 0.55, on.width() / 2, on.height() * 0.48, reach);
  cairo_pattern_add_color_stop_rgba(shade, 0, 0.06, 0.03, 0.08, 0);
  cairo_pattern_add_color_stop_rgba(shade, 0.6, 0.06, 0.03, 0.08, alpha * 0.35);
  cairo_pattern_add_color_stop_rgba(shade, 1, 0.06, 0.03, 0.08, alpha);
  cairo_set_source(pen, shade);
  cairo_paint(pen);
  cairo_pattern_destroy(shade);
}

void paint_grain(const canvas& on, std::uint64_t seed) {
  cairo_surface_flush(on.surface());
  unsigned char* bytes = cairo_image_surface_get_data(on.surface());
  if (!bytes) return;  // The surface has failed; throw_if_failed will tell.
  auto stride = static_cast<std::size_t>(cairo_image_surface_get_stride(on.surface()));
  int wide = cairo_image_surface_get_width(on.surface());
  int high = cairo_image_surface_get_height(on.surface());
  chance dice(seed ^ fingerprint("grain"));
  for (int y = 0; y < high; ++y) {
    auto* row = reinterpret_cast<std::uint32_t*>(bytes + stride * static_cast<std::size_t>(y));
    std::uint64_t bits = 0;
    for (int x = 0; x < wide; ++x, bits >>= 4U) {
      if (x % 16 == 0) bits = dice.next();
      // A few fibres in sixteen: flat colours stay flat enough for a small file.
      constexpr int tooth[16] = {-4, 3, -2, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1, 1, 0};
      if (int by = tooth[bits & 0xfU]) row[x] = shifted(row[x], by);
    }
  }
  cairo_surface_mark_dirty(on.surface());
}

}  // namespace rowrunner::spot_images
