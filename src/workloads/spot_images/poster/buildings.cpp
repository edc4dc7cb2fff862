#include "workloads/spot_images/poster/buildings.hpp"

#include <algorithm>
#include <cmath>

namespace rowrunner::spot_images {
namespace {

void trace_roof(cairo_t* pen, const roof_shape& of) {
  double top = of.eaves - of.high;
  double tip = of.eaves - of.upturn;
  double run = of.half - of.ridge;
  cairo_move_to(pen, of.x - of.ridge, top);
  cairo_line_to(pen, of.x + of.ridge, top);
  cairo_curve_to(pen, of.x + of.ridge + run * 0.28, top + of.high * 0.62,
                 of.x + of.half - run * 0.25, of.eaves - of.upturn * 0.5, of.x + of.half, tip);
  cairo_curve_to(pen, of.x + of.half * 0.72, of.eaves + of.upturn * 0.10, of.x + of.half * 0.45,
                 of.eaves + of.upturn * 0.12, of.x, of.eaves + of.upturn * 0.12);
  cairo_curve_to(pen, of.x - of.half * 0.45, of.eaves + of.upturn * 0.12, of.x - of.half * 0.72,
                 of.eaves + of.upturn * 0.10, of.x - of.half, tip);
  cairo_curve_to(pen, of.x - of.half + run * 0.25, of.eaves - of.upturn * 0.5,
                 of.x - of.ridge - run * 0.28, top + of.high * 0.62, of.x - of.ridge, top);
  cairo_close_path(pen);
}

void tile_lines(cairo_t* pen, const roof_shape& of, colour tiles) {
  saved_pen kept(pen);
  trace_roof(pen, of);
  cairo_clip(pen);
  int count = std::max(6, static_cast<int>(of.half / 5));
  for (int i = -count; i <= count; ++i) {
    double share = static_cast<double>(i) / count;
    double top_x = of.x + share * of.ridge;
    double low_x = of.x + share * of.half;
    cairo_move_to(pen, top_x, of.eaves - of.high);
    cairo_curve_to(pen, top_x + (low_x - top_x) * 0.3, of.eaves - of.high * 0.4,
                   top_x + (low_x - top_x) * 0.75, of.eaves - of.upturn * 0.4, low_x,
                   of.eaves + of.upturn * 0.2);
  }
  stroke(pen, darker(tiles, 0.5), 0.9, 0.45);
}

/// The rafter ends that show beneath the eaves.
void rafters(cairo_t* pen, const roof_shape& of, colour wood) {
  double reach = of.half * 0.86;
  double gap = std::max(3.2, of.half / 22);
  for (double x = -reach; x <= reach; x += gap) {
    double rise = of.upturn * 0.75 * std::pow(std::abs(x) / of.half, 3.2);
    box(pen, of.x + x, of.eaves + of.upturn * 0.10 - rise, gap * 0.45, of.high * 0.09 + 1.6);
  }
  fill(pen, wood);
}

}  // namespace

void paint_roof(const composition& in, const roof_shape& of, colour tiles) {
  cairo_t* pen = in.pen();
  double top = of.eaves - of.high;
  rafters(pen, of, mix(in.tint.wood, in.tint.gold, 0.25));
  trace_roof(pen, of);
  fill_down(pen, top, of.eaves + of.upturn * 0.2,
            {{0, lighter(tiles, 0.16)}, {0.5, tiles}, {1, darker(tiles, 0.34)}});
  tile_lines(pen, of, tiles);
  if (in.in_winter()) {
    saved_pen kept(pen);
    trace_roof(pen, of);
    cairo_clip(pen);
    box(pen, of.x - of.half, top - 2, of.half * 2, of.high * 1.2);
    colour snow = in.tint.leaf.light;
    fill_down(pen, top, of.eaves,
              {{0, snow},
               {0.62, snow, 0.97},
               {0.86, mix(snow, in.tint.leaf.dark, 0.4), 0.9},
               {0.88, snow, 0.0}});
  }
  // The lit edge of the eaves, which draws the line of the roof.
  double tip = of.eaves - of.upturn;
  cairo_move_to(pen, of.x - of.half, tip);
  cairo_curve_to(pen, of.x - of.half * 0.72, of.eaves + of.upturn * 0.10, of.x - of.half * 0.45,
                 of.eaves + of.upturn * 0.12, of.x, of.eaves + of.upturn * 0.12);
  cairo_curve_to(pen, of.x + of.half * 0.45, of.eaves + of.upturn * 0.12, of.x + of.half * 0.72,
                 of.eaves + of.upturn * 0.10, of.x + of.half, tip);
  stroke(pen, lighter(tiles, 0.38), std::max(1.0, of.high * 0.035), 0.8);
  line(pen, {of.x - of.ridge - 2, top}, {of.x + of.ridge + 2, top});
  stroke(pen, in.in_winter() ? in.tint.leaf.light : darker(tiles, 0.3),
         std::max(1.6, of.high * 0.085));
}

void paint_wall(const composition& in, const wall_shape& of, colour panel, colour post) {
  cairo_t* pen = in.pen();
  box(pen, of.x - of.half, of.top, of.half * 2, of.high);
  fill_across(pen, of.x - of.half, of.x + of.half,
              {{0, lighter(panel, 0.05)}, {0.6, panel}, {1, darker(panel, 0.22)}});
  double bay = of.half * 2 / of.bays;
  for (int i = 0; i < of.bays; ++i) {
    double left = of.x - of.half + i * bay;
    // Every other bay has a lattice, behind which there may be light.
    if (i % 2 == of.bays / 2 % 2) {
      box(pen, left + bay * 0.16, of.top + of.high * 0.22, bay * 0.68, of.high * 0.66);
      fill(pen, mix(darker(post, 0.45), in.tint.lamp, in.tint.lamp_light * 0.85));
      for (double bar = 0.3; bar < 0.8; bar += 0.14) {
        line(pen, {left + bay * bar, of.top + of.high * 0.22},
             {left + bay * bar, of.top + of.high * 0.88});
      }
      stroke(pen, darker(post, 0.2), std::max(0.6, bay * 0.035), 0.8);
    }
  }
  for (int i = 0; i <= of.bays; ++i) {
    double width = std::max(1.6, bay * 0.11);
    box(pen, of.x - of.half + i * bay - width / 2, of.top, width, of.high);
  }
  box(pen, of.x - of.half, of.top + of.high * 0.9, of.half * 2, of.high * 0.1);
  fill(pen, post);
  box(pen, of.x - of.half - 2, of.top, of.half * 2 + 4, of.high);
  fill_down(pen, of.top, of.top + of.high, {{0, hex(0x120c14), 0.62}, {0.55, hex(0x120c14), 0.0}});
  if (in.tint.lamp_light > 0.5) {
    shine(pen, of.x, of.top + of.high * 0.6, of.half * 1.5, in.tint.lamp,
          0.22 * in.tint.lamp_light);
  }
}

void paint_railing(const composition& in, double x, double y, double half, double high,
                   colour paint) {
  cairo_t* pen = in.pen();
  double gap = std::max(5.0, half / 9);
  for (double at = -half; at <= half + 0.1; at += gap) box(pen, x + at - 0.8, y - high, 1.6, high);
  box(pen, x - half - 3, y - high, half * 2 + 6, std::max(1.4, high * 0.14));
  box(pen, x - half, y - high * 0.55, half * 2, std::max(1.0, high * 0.08));
  box(pen, x - half - 2, y - high * 0.12, half * 2 + 4, high * 0.24);
  fill(pen, paint);
}

void paint_stone_lantern(const composition& in, point foot, double high) {
  cairo_t* pen = in.pen();
  colour stone = in.tint.stone;
  double wide = high * 0.22;
  auto block = [&](double from, double to, double low_half, double top_half) {
    outline(pen, {{foot.x - low_half, foot.y - from * high},
                  {foot.x - top_half, foot.y - to * high},
                  {foot.x + top_half, foot.y - to * high},
                  {foot.x + low_half, foot.y - from * high}});
    fill_across(pen, foot.x - wide, foot.x + wide,
                {{0, lighter(stone, 0.22)}, {0.5, stone}, {1, darker(stone, 0.4)}});
  };
  block(0, 0.08, wide * 0.95, wide * 0.8);
  block(0.08, 0.46, wide * 0.36, wide * 0.30);
  block(0.46, 0.54, wide * 0.55, wide * 0.85);
  block(0.54, 0.72, wide * 0.58, wide * 0.58);
  box(pen, foot.x - wide * 0.3, foot.y - 0.70 * high, wide * 0.6, high * 0.13);
  fill(pen, mix(hex(0x2a2320), in.tint.lamp, std::max(0.25, in.tint.lamp_light)));
  cairo_move_to(pen, foot.x - wide * 1.25, foot.y - 0.70 * high);
  cairo_curve_to(pen, foot.x - wide * 0.7, foot.y - 0.74 * high, foot.x - wide * 0.3,
                 foot.y - 0.82 * high, foot.x, foot.y - 0.88 * high);
  cairo_curve_to(pen, foot.x + wide * 0.3, foot.y - 0.82 * high, foot.x + wide * 0.7,
                 foot.y - 0.74 * high, foot.x + wide * 1.25, foot.y - 0.70 * high);
  cairo_close_path(pen);
  fill(pen, in.in_winter() ? in.tint.leaf.light : darker(stone, 0.15));
  oval(pen, foot.x, foot.y - 0.92 * high, wide * 0.22, high * 0.06);
  fill(pen, stone);
  shine(pen, foot.x, foot.y - 0.64 * high, high * 1.1, in.tint.lamp, 0.7 * in.tint.lamp_light);
}

void paint_paper_lantern(const composition& in, point at, double size, colour paper) {
  cairo_t* pen = in.pen();
  double light = std::max(0.25, in.tint.lamp_light);
  shine(pen, at.x, at.y, size * 3.4, mix(paper, in.tint.lamp, 0.5), 0.62 * light);
  box(pen, at.x - size * 0.3, at.y - size * 0.98, size * 0.6, size * 0.16);
  box(pen, at.x - size * 0.3, at.y + size * 0.82, size * 0.6, size * 0.16);
  fill(pen, hex(0x241c1c));
  oval(pen, at.x, at.y, size * 0.66, size * 0.86);
  colour heart = mix(paper, hex(0xfff1c9), 0.35 + 0.5 * light);
  fill_across(pen, at.x - size * 0.66, at.x + size * 0.66,
              {{0, darker(paper, 0.22)}, {0.42, heart}, {0.6, heart}, {1, darker(paper, 0.30)}});
  for (double rib = -0.6; rib <= 0.61; rib += 0.3) {
    double half = size * 0.66 * std::sqrt(1 - (rib / 0.9) * (rib / 0.9));
    line(pen, {at.x - half, at.y + rib * size}, {at.x + half, at.y + rib * size});
  }
  stroke(pen, darker(paper, 0.4), std::max(0.5, size * 0.04), 0.4);
}

}  // namespace rowrunner::spot_images
