#include "workloads/spot_images/poster/water.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

namespace rowrunner::spot_images {
namespace {

using pixel = std::uint32_t;

pixel packed(colour paint) {
  auto byte = [](double value) { return static_cast<pixel>(std::lround(value * 255)); };
  return byte(paint.red) << 16U | byte(paint.green) << 8U | byte(paint.blue);
}

/// `share` of 256 parts of the colour above.
pixel blend(pixel under, pixel over, pixel share) {
  pixel mixed = 0;
  for (unsigned shift : {0U, 8U, 16U}) {
    pixel low = (under >> shift) & 0xffU;
    pixel top = (over >> shift) & 0xffU;
    mixed |= ((low * (256 - share) + top * share) >> 8U) << shift;
  }
  return mixed;
}

/// How far a row of water is pushed aside: ripples grow towards the viewer.
double ripple(double depth, double calm, double phase) {
  double wave = std::sin(depth * 0.9 / (1 + depth * 0.012) + phase) +
                0.5 * std::sin(depth * 0.37 + phase * 2.3);
  return wave * (0.6 + depth * 0.022) * (1.9 - 1.5 * calm);
}

}  // namespace

void paint_water(const composition& in, double shore, double calm) {
  cairo_surface_t* surface = in.on.surface();
  cairo_surface_flush(surface);
  unsigned char* bytes = cairo_image_surface_get_data(surface);
  if (!bytes) return;  // The surface has failed; throw_if_failed will tell.
  auto stride = static_cast<std::size_t>(cairo_image_surface_get_stride(surface));
  int wide = cairo_image_surface_get_width(surface);
  int high = cairo_image_surface_get_height(surface);
  int edge = std::clamp(static_cast<int>(shore * in.on.scale()), 1, high);
  double phase = in.dice("ripple").between(0, 6);

  std::vector<pixel> source(static_cast<std::size_t>(wide));
  std::vector<pixel> row(source.size());
  for (int y = edge; y < high; ++y) {
    double depth = (y - edge) / in.on.scale();
    // Seen from above the water, a reflection is a little shorter than what it shows.
    int mirrored = std::clamp(edge - 1 - static_cast<int>((y - edge) * 1.12), 0, edge - 1);
    std::memcpy(source.data(), bytes + stride * static_cast<std::size_t>(mirrored),
                source.size() * sizeof(pixel));
    int push = static_cast<int>(std::lround(ripple(depth, calm, phase) * in.on.scale()));
    double share = std::min(0.85, (0.60 - 0.38 * calm) + depth * 0.0007);
    colour tone = mix(in.tint.water, darker(in.tint.water, 0.35), std::min(1.0, depth / 420));
    pixel over = packed(tone);
    auto parts = static_cast<pixel>(std::lround(share * 256));
    for (int x = 0; x < wide; ++x) {
      auto from = static_cast<std::size_t>(std::clamp(x + push, 0, wide - 1));
      row[static_cast<std::size_t>(x)] = blend(source[from], over, parts);
    }
    std::memcpy(bytes + stride * static_cast<std::size_t>(y), row.data(),
                row.size() * sizeof(pixel));
  }
  cairo_surface_mark_dirty(surface);
  haze(in.on, shore - 14, shore + 16, in.tint.mist, 0.35);
}

void paint_glints(const composition& in, double shore, double lit_x) {
  chance dice = in.dice("glints");
  colour light = mix(in.tint.halo, in.tint.disc, 0.6);
  double deep = in.height() - shore;
  for (int i = 0; i < 420; ++i) {
    double near = std::pow(dice.unit(), 1.4);
    double y = shore + 3 + deep * near;
    bool in_path = dice.odds(0.6);
    double spread = (dice.unit() + dice.unit() + dice.unit() - 1.5) * (50 + 190 * near);
    double x = in_path ? lit_x + spread : dice.between(0, in.width());
    double length = dice.between(6, 22) * (0.4 + 1.4 * near);
    oval(in.pen(), x, y, length, 0.55 + 1.1 * near);
    fill(in.pen(), light, dice.between(0.08, in_path ? 0.55 : 0.22));
  }
}

}  // namespace rowrunner::spot_images
