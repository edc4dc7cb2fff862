#include <algorithm>
#include <cmath>

#include "workloads/spot_images/poster/buildings.hpp"

namespace rowrunner::spot_images {
namespace {

void pillar(cairo_t* pen, point foot, point head, double wide, colour paint) {
  outline(pen, {{foot.x - wide / 2, foot.y},
                {head.x - wide * 0.43, head.y},
                {head.x + wide * 0.43, head.y},
                {foot.x + wide / 2, foot.y}});
  fill_across(pen, foot.x - wide / 2, foot.x + wide / 2,
              {{0, darker(paint, 0.12)},
               {0.3, lighter(paint, 0.16)},
               {0.65, paint},
               {1, darker(paint, 0.38)}});
}

void trace_lintel(cairo_t* pen, double x, double top, double half, double thick, double sweep) {
  cairo_move_to(pen, x - half, top - sweep);
  cairo_curve_to(pen, x - half * 0.5, top, x - half * 0.2, top, x, top);
  cairo_curve_to(pen, x + half * 0.2, top, x + half * 0.5, top, x + half, top - sweep);
  cairo_line_to(pen, x + half * 0.972, top + thick - sweep * 0.8);
  cairo_curve_to(pen, x + half * 0.5, top + thick, x + half * 0.2, top + thick, x, top + thick);
  cairo_curve_to(pen, x - half * 0.2, top + thick, x - half * 0.5, top + thick, x - half * 0.972,
                 top + thick - sweep * 0.8);
  cairo_close_path(pen);
}

/// The lattice of posts and beams that carries a hall out over a slope.
void scaffold(const composition& in, double left, double right, double top, double bottom) {
  cairo_t* pen = in.pen();
  const int rows = 5;
  double gap = (right - left) / 11;
  for (int depth = 0; depth < 2; ++depth) {
    double shift = depth == 0 ? gap * 0.45 : 0;
    colour wood = depth == 0 ? darker(in.tint.wood, 0.45) : lighter(in.tint.wood, 0.10);
    for (int row = 1; row <= rows; ++row) {
      double y = top + (bottom - top) * row / (rows + 0.4);
      box(pen, left - 4, y - (depth == 0 ? 12 : 0), right - left + 8, 5);
    }
    fill(pen, darker(wood, 0.12));
    for (double x = left + shift; x <= right + 1; x += gap) {
      box(pen, x - 3.6, top, 7.2, bottom - top);
      fill_across(pen, x - 3.6, x + 3.6, {{0, lighter(wood, 0.16)}, {1, darker(wood, 0.3)}});
    }
  }
  box(pen, left - 6, top, right - left + 12, bottom - top);
  fill_down(pen, top, bottom,
            {{0, hex(0x140d10), 0.55}, {0.4, hex(0x140d10), 0.12}, {1, in.tint.mist, 0.25}});
}

}  // namespace

void paint_torii(const composition& in, point foot, double wide, double fade) {
  cairo_t* pen = in.pen();
  colour red = mix(in.tint.vermilion, in.tint.mist, fade);
  colour black = mix(hex(0x2b2226), in.tint.mist, fade);
  double high = wide * 0.92;
  double post = wide * 0.088;
  double top = foot.y - high;
  for (double side : {-1.0, 1.0}) {
    point base{foot.x + side * wide * 0.41, foot.y};
    point head{foot.x + side * wide * 0.385, top + wide * 0.10};
    pillar(pen, base, head, post, red);
    box(pen, base.x - post * 0.6, base.y - high * 0.075, post * 1.2, high * 0.08);
    fill(pen, black);
  }
  double tie = top + wide * 0.245;
  box(pen, foot.x - wide * 0.475, tie, wide * 0.95, wide * 0.052);
  fill_down(pen, tie, tie + wide * 0.052,
            {{0, lighter(red, 0.14)}, {0.5, red}, {1, darker(red, 0.3)}});
  box(pen, foot.x - wide * 0.04, top + wide * 0.1, wide * 0.08, wide * 0.15);
  fill(pen, darker(red, 0.1));
  box(pen, foot.x - wide * 0.028, top + wide * 0.112, wide * 0.056, wide * 0.12);
  fill(pen, mix(in.tint.gold, black, 0.35));
  trace_lintel(pen, foot.x, top + wide * 0.058, wide * 0.535, wide * 0.058, wide * 0.036);
  fill_down(pen, top, top + wide * 0.13,
            {{0, lighter(red, 0.12)}, {0.7, red}, {1, darker(red, 0.35)}});
  trace_lintel(pen, foot.x, top + wide * 0.012, wide * 0.585, wide * 0.05, wide * 0.042);
  fill(pen, black);
  if (in.in_winter()) {
    trace_lintel(pen, foot.x, top - wide * 0.012, wide * 0.58, wide * 0.032, wide * 0.042);
    fill(pen, in.tint.leaf.light, 1 - fade);
  }
}

void paint_stage_hall(const composition& in, point foot, double wide) {
  double half = wide / 2;
  double deck = foot.y - wide * 0.50;
  colour bark = mix(lighter(in.tint.wood, 0.12), in.tint.roof, 0.3);
  scaffold(in, foot.x - half * 0.84, foot.x + half * 0.84, deck, foot.y);
  double hall = deck - wide * 0.145;
  paint_wall(in, {foot.x, hall, half * 0.72, wide * 0.15, 9}, mix(in.tint.wall, in.tint.wood, 0.35),
             in.tint.wood);
  box(in.pen(), foot.x - half * 0.92, deck - 5, half * 1.84, 12);
  fill_down(in.pen(), deck - 5, deck + 7,
            {{0, lighter(in.tint.wood, 0.35)}, {1, darker(in.tint.wood, 0.2)}});
  paint_railing(in, foot.x, deck - 4, half * 0.9, wide * 0.05, lighter(in.tint.wood, 0.14));
  for (double side : {-1.0, 1.0}) {
    paint_roof(in,
               {foot.x + side * half * 0.66, hall + wide * 0.03, half * 0.34, half * 0.16,
                wide * 0.075, wide * 0.02},
               bark);
  }
  paint_roof(in, {foot.x, hall + 4, half * 0.98, half * 0.40, wide * 0.21, wide * 0.055}, bark);
}

}  // namespace rowrunner::spot_images
