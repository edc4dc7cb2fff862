#include "workloads/spot_images/poster/lane.hpp"

#include <cmath>
#include <numbers>

namespace rowrunner::spot_images {

void trace_in_lane(cairo_t* pen, const lane& of, std::initializer_list<spot_in_lane> corners) {
  cairo_new_sub_path(pen);
  for (const spot_in_lane& corner : corners) {
    point at = of.at(corner.across, corner.up, corner.depth);
    cairo_line_to(pen, at.x, at.y);
  }
  cairo_close_path(pen);
}

void paint_paving(const composition& in, const lane& of, colour stone) {
  cairo_t* pen = in.pen();
  double bottom = in.height() + 10;
  box(pen, -5, of.vanishing.y, in.width() + 10, bottom - of.vanishing.y);
  fill_down(pen, of.vanishing.y, bottom,
            {{0, mix(stone, in.tint.mist, 0.55)}, {0.3, stone}, {1, darker(stone, 0.35)}});
  chance dice = in.dice("paving");
  double depth = 0.36;
  for (int row = 0; row < 44; ++row) {
    double next = depth * 1.09;
    double shift = row % 2 * 0.5;
    for (int slab = -6; slab < 6; ++slab) {
      double left = (slab + shift) * of.half / 5;
      double right = left + of.half / 5;
      trace_in_lane(pen, of,
                    {{left, 0, depth}, {right, 0, depth}, {right, 0, next}, {left, 0, next}});
      bool bright = dice.odds(0.5);
      fill(pen, bright ? lighter(stone, 0.4) : darker(stone, 0.5), dice.between(0.02, 0.16));
    }
    line(pen, of.at(-of.half * 1.2, 0, depth), of.at(of.half * 1.2, 0, depth));
    stroke(pen, darker(stone, 0.5), 1.6 / depth, 0.45);
    depth = next;
  }
}

void paint_stroller(const composition& in, point foot, double high, colour robe, colour parasol) {
  cairo_t* pen = in.pen();
  oval(pen, foot.x, foot.y, high * 0.2, high * 0.03);
  fill(pen, hex(0x100a10), 0.4);
  cairo_move_to(pen, foot.x - high * 0.10, foot.y);
  cairo_curve_to(pen, foot.x - high * 0.12, foot.y - high * 0.4, foot.x - high * 0.15,
                 foot.y - high * 0.6, foot.x - high * 0.07, foot.y - high * 0.72);
  cairo_line_to(pen, foot.x + high * 0.07, foot.y - high * 0.72);
  cairo_curve_to(pen, foot.x + high * 0.15, foot.y - high * 0.6, foot.x + high * 0.12,
                 foot.y - high * 0.4, foot.x + high * 0.10, foot.y);
  cairo_close_path(pen);
  fill_across(pen, foot.x - high * 0.14, foot.x + high * 0.14,
              {{0, lighter(robe, 0.15)}, {0.5, robe}, {1, darker(robe, 0.4)}});
  box(pen, foot.x - high * 0.105, foot.y - high * 0.56, high * 0.21, high * 0.10);
  fill(pen, in.tint.gold);
  dot(pen, foot.x, foot.y - high * 0.78, high * 0.062);
  fill(pen, hex(0x1d1519));
  cairo_new_sub_path(pen);
  cairo_move_to(pen, foot.x - high * 0.36, foot.y - high * 0.76);
  cairo_curve_to(pen, foot.x - high * 0.28, foot.y - high * 0.98, foot.x - high * 0.1,
                 foot.y - high * 1.06, foot.x + high * 0.02, foot.y - high * 1.07);
  cairo_curve_to(pen, foot.x + high * 0.14, foot.y - high * 1.05, foot.x + high * 0.30,
                 foot.y - high * 0.96, foot.x + high * 0.36, foot.y - high * 0.76);
  cairo_curve_to(pen, foot.x + high * 0.2, foot.y - high * 0.81, foot.x - high * 0.2,
                 foot.y - high * 0.81, foot.x - high * 0.36, foot.y - high * 0.76);
  fill_across(pen, foot.x - high * 0.36, foot.x + high * 0.36,
              {{0, lighter(parasol, 0.22)}, {0.5, parasol}, {1, darker(parasol, 0.3)}});
  for (double rib : {-0.22, -0.1, 0.02, 0.14, 0.25}) {
    line(pen, {foot.x + high * 0.02, foot.y - high * 1.06},
         {foot.x + high * rib, foot.y - high * 0.795});
  }
  stroke(pen, darker(parasol, 0.4), high * 0.007, 0.6);
}

}  // namespace rowrunner::spot_images
