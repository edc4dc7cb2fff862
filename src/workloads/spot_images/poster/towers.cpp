#include <algorithm>
#include <cmath>

#include "workloads/spot_images/poster/buildings.hpp"

namespace rowrunner::spot_images {
namespace {

/// The ringed spire of a pagoda.
void spire(cairo_t* pen, point foot, double high, colour paint) {
  box(pen, foot.x - high * 0.05, foot.y - high * 0.10, high * 0.10, high * 0.10);
  box(pen, foot.x - high * 0.014, foot.y - high, high * 0.028, high);
  for (int ring = 0; ring < 9; ++ring) {
    double half = high * (0.075 - ring * 0.0042);
    box(pen, foot.x - half, foot.y - high * (0.20 + ring * 0.065), half * 2, high * 0.026);
  }
  dot(pen, foot.x, foot.y - high * 0.93, high * 0.025);
  fill(pen, paint);
}

void phoenix(cairo_t* pen, point foot, double size, colour paint) {
  cairo_move_to(pen, foot.x - size * 0.5, foot.y - size * 0.95);
  cairo_curve_to(pen, foot.x - size * 0.2, foot.y - size * 0.75, foot.x - size * 0.15,
                 foot.y - size * 0.5, foot.x, foot.y - size * 0.42);
  cairo_curve_to(pen, foot.x + size * 0.2, foot.y - size * 0.5, foot.x + size * 0.2,
                 foot.y - size * 0.9, foot.x + size * 0.5, foot.y - size * 1.05);
  cairo_curve_to(pen, foot.x + size * 0.45, foot.y - size * 0.6, foot.x + size * 0.3,
                 foot.y - size * 0.3, foot.x + size * 0.05, foot.y - size * 0.2);
  cairo_line_to(pen, foot.x, foot.y);
  cairo_line_to(pen, foot.x - size * 0.05, foot.y - size * 0.2);
  cairo_curve_to(pen, foot.x - size * 0.3, foot.y - size * 0.3, foot.x - size * 0.42,
                 foot.y - size * 0.6, foot.x - size * 0.5, foot.y - size * 0.95);
  fill(pen, paint);
}

void trace_gable(cairo_t* pen, double x, double eaves, double half, double high) {
  cairo_move_to(pen, x - half, eaves);
  cairo_curve_to(pen, x - half * 0.5, eaves - high * 0.18, x - half * 0.2, eaves - high * 0.6, x,
                 eaves - high);
  cairo_curve_to(pen, x + half * 0.2, eaves - high * 0.6, x + half * 0.5, eaves - high * 0.18,
                 x + half, eaves);
  cairo_close_path(pen);
}

void gable(const composition& in, double x, double eaves, double half, double high) {
  cairo_t* pen = in.pen();
  trace_gable(pen, x, eaves, half, high);
  fill(pen, darker(in.tint.roof, 0.1));
  trace_gable(pen, x, eaves - high * 0.06, half * 0.72, high * 0.72);
  fill(pen, darker(in.tint.wall, 0.08));
  trace_gable(pen, x, eaves, half, high);
  stroke(pen, in.in_winter() ? in.tint.leaf.light : lighter(in.tint.roof, 0.25), high * 0.07);
  dot(pen, x, eaves - high * 0.62, high * 0.07);
  fill(pen, in.tint.gold);
}

/// The curved, dry-laid base of a castle.
void stone_base(const composition& in, point foot, double low, double top, double high) {
  cairo_t* pen = in.pen();
  auto trace = [&] {
    cairo_move_to(pen, foot.x - low, foot.y);
    cairo_curve_to(pen, foot.x - low * 0.86, foot.y - high * 0.25, foot.x - top * 1.02,
                   foot.y - high * 0.6, foot.x - top, foot.y - high);
    cairo_line_to(pen, foot.x + top, foot.y - high);
    cairo_curve_to(pen, foot.x + top * 1.02, foot.y - high * 0.6, foot.x + low * 0.86,
                   foot.y - high * 0.25, foot.x + low, foot.y);
    cairo_close_path(pen);
  };
  trace();
  fill_across(
      pen, foot.x - low, foot.x + low,
      {{0, lighter(in.tint.stone, 0.12)}, {0.55, in.tint.stone}, {1, darker(in.tint.stone, 0.35)}});
  saved_pen kept(pen);
  trace();
  cairo_clip(pen);
  chance dice = in.dice("stones");
  for (double y = foot.y; y > foot.y - high; y -= 15) {
    for (double x = foot.x - low; x < foot.x + low; x += dice.between(17, 32)) {
      double wide = dice.between(14, 27);
      box(pen, x, y - 13 + dice.between(-2, 2), wide, 12.5);
      fill(pen, mix(darker(in.tint.stone, 0.42), lighter(in.tint.stone, 0.2), dice.unit()), 0.42);
    }
  }
}

}  // namespace

void paint_pagoda(const composition& in, point foot, double high, int storeys, double fade) {
  cairo_t* pen = in.pen();
  palette veiled = in.tint;
  for (colour* one : {&veiled.wood, &veiled.roof, &veiled.wall, &veiled.vermilion, &veiled.gold})
    *one = mix(*one, in.tint.mist, fade);
  composition with{in.on, in.what, veiled, in.focus, in.horizon};
  double spire_high = high * 0.24;
  double storey = (high - spire_high) / (storeys + 0.12);
  double half = high * (storeys > 3 ? 0.225 : 0.26);
  colour post = mix(veiled.wood, veiled.vermilion, 0.45);
  box(pen, foot.x - half * 0.86, foot.y - storey * 0.12, half * 1.72, storey * 0.12);
  fill(pen, mix(in.tint.stone, in.tint.mist, fade));
  double y = foot.y - storey * 0.12;
  for (int floor = 0; floor < storeys; ++floor) {
    double own = half * (1 - 0.36 * floor / storeys);
    double wall_high = storey * 0.56;
    paint_wall(with, {foot.x, y - wall_high, own * 0.56, wall_high, 3},
               mix(veiled.wall, post, 0.25), post);
    if (floor > 0) paint_railing(with, foot.x, y, own * 0.66, storey * 0.17, post);
    bool last = floor + 1 == storeys;
    paint_roof(with,
               {foot.x, y - wall_high + 2, own, last ? own * 0.05 : own * 0.52,
                storey * (last ? 0.72 : 0.46), storey * 0.17},
               veiled.roof);
    y -= last ? wall_high + storey * 0.68 : storey;
  }
  spire(pen, {foot.x, y}, spire_high, mix(veiled.roof, veiled.gold, 0.45));
}

void paint_pavilion(const composition& in, point foot, double wide, bool golden) {
  cairo_t* pen = in.pen();
  double unit = wide / 10;
  colour skin = golden ? in.tint.gold : mix(in.tint.wood, in.tint.stone, 0.35);
  colour post = golden ? darker(skin, 0.38) : darker(in.tint.wood, 0.2);
  colour shingle = mix(in.tint.wood, in.tint.roof, 0.45);
  box(pen, foot.x - unit * 4.6, foot.y - unit * 0.4, unit * 9.2, unit * 0.4);
  fill(pen, in.tint.stone);
  double y = foot.y - unit * 0.4;
  paint_wall(in, {foot.x, y - unit * 1.75, unit * 3.7, unit * 1.75, 7}, in.tint.wall, in.tint.wood);
  paint_railing(in, foot.x, y, unit * 4.3, unit * 0.5, golden ? in.tint.wood : post);
  y -= unit * 1.75;
  if (golden) {
    // The middle floor has no roof of its own beneath it, only a balcony all around.
    box(pen, foot.x - unit * 4.3, y - unit * 0.14, unit * 8.6, unit * 0.24);
    fill(pen, darker(skin, 0.25));
    paint_wall(in, {foot.x, y - unit * 1.6, unit * 3.5, unit * 1.5, 7}, skin, post);
    paint_railing(in, foot.x, y - unit * 0.1, unit * 4.2, unit * 0.45, lighter(skin, 0.15));
    y -= unit * 1.6;
  }
  paint_roof(in, {foot.x, y + 2, unit * 5.3, unit * 2.6, unit * 1.35, unit * 0.5}, shingle);
  y -= unit * 1.2;
  paint_wall(in, {foot.x, y - unit * 1.35, unit * 2.0, unit * 1.45, 5}, skin, post);
  paint_railing(in, foot.x, y + unit * 0.05, unit * 2.5, unit * 0.42,
                golden ? lighter(skin, 0.15) : post);
  y -= unit * 1.35;
  paint_roof(in, {foot.x, y + 2, unit * 3.6, unit * 0.12, unit * 1.75, unit * 0.45}, shingle);
  phoenix(pen, {foot.x, y - unit * 1.68}, unit * 0.95, golden ? lighter(skin, 0.15) : in.tint.roof);
  if (golden) {
    shine(pen, foot.x, foot.y - unit * 3, unit * 7, in.tint.gold, 0.16 + 0.22 * in.tint.lamp_light);
  }
}

void paint_keep(const composition& in, point foot, double wide, int storeys) {
  double half = wide / 2;
  double base_high = wide * 0.34;
  stone_base(in, foot, half * 1.22, half * 0.96, base_high);
  double y = foot.y - base_high;
  double storey = wide * 0.215;
  for (int floor = 0; floor < storeys; ++floor) {
    double own = half * (0.92 - 0.50 * floor / storeys);
    bool last = floor + 1 == storeys;
    double wall_high = storey * (last ? 0.62 : 0.56);
    paint_wall(in, {foot.x, y - wall_high, own, wall_high, std::max(3, 9 - 2 * floor)},
               in.tint.wall, mix(in.tint.wall, in.tint.roof, 0.55));
    double eaves = y - wall_high + 2;
    paint_roof(in,
               {foot.x, eaves, own * 1.26, last ? own * 0.62 : own * 0.86,
                storey * (last ? 0.66 : 0.40), storey * 0.17},
               in.tint.roof);
    if (!last && floor % 2 == 0) {
      gable(in, foot.x - own * 0.52, eaves, own * 0.36, storey * 0.46);
      gable(in, foot.x + own * 0.52, eaves, own * 0.36, storey * 0.46);
    } else if (!last) {
      gable(in, foot.x, eaves, own * 0.5, storey * 0.5);
    }
    y = eaves - storey * (last ? 0.66 : 0.34);
    if (last) {
      for (double tip : {-0.62, 0.62}) {
        phoenix(in.pen(), {foot.x + tip * own, y + 2}, storey * 0.26, in.tint.gold);
      }
    }
  }
}

}  // namespace rowrunner::spot_images
