#include <cmath>
#include <numbers>

#include "workloads/spot_images/poster/buildings.hpp"

namespace rowrunner::spot_images {
namespace {

colour pale_stone(const composition& in) {
  return mix(mix(in.tint.stone, in.tint.wall, 0.62), in.tint.earth, 0.12);
}

void lit_from_left(const composition& in, double left, double right, colour paint) {
  fill_across(in.pen(), left, right,
              {{0, lighter(paint, 0.18)}, {0.45, paint}, {1, darker(paint, 0.36)}});
}

/// A narrow window with a round arch, behind which there may be light.
void arched_window(const composition& in, point top, double wide, double high, colour wall) {
  cairo_t* pen = in.pen();
  cairo_new_sub_path(pen);
  cairo_arc(pen, top.x, top.y + wide / 2, wide / 2, std::numbers::pi, 0);
  cairo_line_to(pen, top.x + wide / 2, top.y + high);
  cairo_line_to(pen, top.x - wide / 2, top.y + high);
  cairo_close_path(pen);
  fill(pen, mix(darker(wall, 0.62), in.tint.lamp, in.tint.lamp_light * 0.9));
}

void battlements(const composition& in, double left, double right, double y, double size,
                 colour stone) {
  for (double x = left; x < right - size * 0.5; x += size * 1.8) {
    box(in.pen(), x, y - size, size, size * 1.1);
    fill(in.pen(), in.in_winter() ? mix(stone, in.tint.leaf.light, 0.7) : darker(stone, 0.06));
  }
}

/// A cone, or a pyramid, with a ball on its tip.
void pointed_roof(const composition& in, point eaves, double half, double high) {
  cairo_t* pen = in.pen();
  outline(pen, {{eaves.x - half, eaves.y}, {eaves.x, eaves.y - high}, {eaves.x + half, eaves.y}});
  lit_from_left(in, eaves.x - half, eaves.x + half, in.tint.roof);
  if (in.in_winter()) {
    outline(pen, {{eaves.x - half, eaves.y},
                  {eaves.x, eaves.y - high},
                  {eaves.x + half * 0.12, eaves.y - high * 0.5},
                  {eaves.x - half * 0.34, eaves.y}});
    fill(pen, in.tint.leaf.light, 0.92);
  }
  line(pen, {eaves.x, eaves.y - high}, {eaves.x, eaves.y - high - half * 0.5});
  stroke(pen, in.tint.gold, 2);
  dot(pen, eaves.x, eaves.y - high - half * 0.12, half * 0.09 + 1);
  fill(pen, in.tint.gold);
}

struct tower_shape {
  double half;
  double high;
  double roof;
  int windows;
};

void round_tower(const composition& in, point foot, const tower_shape& of, colour stone) {
  cairo_t* pen = in.pen();
  double top = foot.y - of.high;
  box(pen, foot.x - of.half, top, of.half * 2, of.high);
  lit_from_left(in, foot.x - of.half, foot.x + of.half, stone);
  for (int i = 0; i < of.windows; ++i) {
    arched_window(in, {foot.x, top + of.half * (0.8 + 2.2 * i)}, of.half * 0.34, of.half * 0.9,
                  stone);
  }
  box(pen, foot.x - of.half * 1.16, top - of.half * 0.16, of.half * 2.32, of.half * 0.32);
  lit_from_left(in, foot.x - of.half * 1.16, foot.x + of.half * 1.16, darker(stone, 0.1));
  pointed_roof(in, {foot.x, top - of.half * 0.14}, of.half * 1.22, of.roof);
  shine(pen, foot.x, top + of.half * 1.4, of.half * 2.4, in.tint.lamp, 0.4 * in.tint.lamp_light);
}

void walled_block(const composition& in, double left, double right, double top, double foot,
                  colour stone) {
  box(in.pen(), left, top, right - left, foot - top);
  lit_from_left(in, left, right, stone);
  battlements(in, left, right, top, (right - left) / 15, stone);
}

/// Round, with petals of tracery.
void rose_window(const composition& in, point at, double radius, colour wall) {
  cairo_t* pen = in.pen();
  dot(pen, at.x, at.y, radius);
  fill(pen, darker(wall, 0.3));
  dot(pen, at.x, at.y, radius * 0.86);
  fill(pen, mix(darker(wall, 0.62), in.tint.lamp, 0.25 + 0.7 * in.tint.lamp_light));
  for (int i = 0; i < 8; ++i) {
    double turn = i * std::numbers::pi / 4;
    line(pen, at, {at.x + radius * std::cos(turn), at.y + radius * std::sin(turn)});
  }
  stroke(pen, lighter(wall, 0.1), radius * 0.09);
  dot(pen, at.x, at.y, radius * 0.2);
  fill(pen, lighter(wall, 0.1));
}

}  // namespace

void paint_stone_castle(const composition& in, point foot, double wide) {
  chance dice = in.dice("stone castle");
  colour stone = pale_stone(in);
  colour behind = mix(stone, in.tint.mist, 0.25);
  double unit = wide / 10;
  double near = in.side();
  // From the back to the front: the slender towers, the hall, the wall with its gate.
  round_tower(in, {foot.x + near * unit * 1.7, foot.y},
              {unit * 0.72, unit * dice.between(7.6, 8.6), unit * 2.7, 3}, behind);
  round_tower(in, {foot.x - near * unit * 1.3, foot.y},
              {unit * 0.5, unit * dice.between(6.2, 7.0), unit * 2.1, 3}, behind);
  double hall = foot.y - unit * 5.0;
  box(in.pen(), foot.x - unit * 2.4, hall, unit * 4.8, unit * 5.0);
  lit_from_left(in, foot.x - unit * 2.4, foot.x + unit * 2.4, stone);
  outline(in.pen(), {{foot.x - unit * 2.6, hall},
                     {foot.x - unit * 1.8, hall - unit * 1.5},
                     {foot.x + unit * 1.8, hall - unit * 1.5},
                     {foot.x + unit * 2.6, hall}});
  fill(in.pen(), in.in_winter() ? in.tint.leaf.light : in.tint.roof);
  for (double row : {0.5, 1.75}) {
    for (double x = -1.8; x < 1.9; x += 0.9) {
      arched_window(in, {foot.x + unit * x, hall + unit * row}, unit * 0.34, unit * 0.8, stone);
    }
  }
  walled_block(in, foot.x - unit * 4.4, foot.x + unit * 4.4, foot.y - unit * 2.2, foot.y, stone);
  round_tower(in, {foot.x - unit * 4.3, foot.y},
              {unit * 0.85, unit * dice.between(3.6, 4.4), unit * 1.9, 1}, stone);
  round_tower(in, {foot.x + unit * 4.3, foot.y},
              {unit * 0.85, unit * dice.between(3.6, 4.4), unit * 1.9, 1}, stone);
  for (double side : {-1.0, 1.0}) {
    round_tower(in, {foot.x + side * unit * 0.95, foot.y}, {unit * 0.46, unit * 2.9, unit * 1.1, 1},
                stone);
  }
  arched_window(in, {foot.x, foot.y - unit * 1.7}, unit * 1.0, unit * 1.7, darker(stone, 0.2));
}

void paint_church(const composition& in, point foot, double wide) {
  colour stone = pale_stone(in);
  double unit = wide / 10;
  cairo_t* pen = in.pen();
  for (double side : {-1.0, 1.0}) {
    double x = foot.x + side * unit * 2.5;
    double top = foot.y - unit * 8.2;
    box(pen, x - unit * 1.05, top, unit * 2.1, unit * 8.2);
    lit_from_left(in, x - unit * 1.05, x + unit * 1.05, stone);
    for (double floor : {0.5, 2.6, 4.7}) {
      arched_window(in, {x - unit * 0.42, top + unit * floor}, unit * 0.42, unit * 1.4, stone);
      arched_window(in, {x + unit * 0.42, top + unit * floor}, unit * 0.42, unit * 1.4, stone);
      box(pen, x - unit * 1.12, top + unit * (floor + 1.65), unit * 2.24, unit * 0.14);
      fill(pen, lighter(stone, 0.22));
    }
    pointed_roof(in, {x, top}, unit * 1.15, unit * 4.0);
    for (double corner : {-1.0, 1.0}) {
      pointed_roof(in, {x + corner * unit * 0.98, top + unit * 0.1}, unit * 0.2, unit * 1.1);
    }
    shine(pen, x, top + unit * 1.2, unit * 3, in.tint.lamp, 0.4 * in.tint.lamp_light);
  }
  double eaves = foot.y - unit * 6.2;
  box(pen, foot.x - unit * 1.5, eaves, unit * 3.0, unit * 6.2);
  outline(pen, {{foot.x - unit * 1.5, eaves + 1},
                {foot.x, eaves - unit * 1.5},
                {foot.x + unit * 1.5, eaves + 1}});
  lit_from_left(in, foot.x - unit * 1.5, foot.x + unit * 1.5, lighter(stone, 0.06));
  line(pen, {foot.x - unit * 1.55, eaves}, {foot.x, eaves - unit * 1.5});
  line(pen, {foot.x, eaves - unit * 1.5}, {foot.x + unit * 1.55, eaves});
  stroke(pen, in.in_winter() ? in.tint.leaf.light : darker(stone, 0.25), unit * 0.16);
  rose_window(in, {foot.x, eaves + unit * 1.2}, unit * 0.95, stone);
  for (double x : {-0.8, 0.0, 0.8}) {
    arched_window(in, {foot.x + unit * x, eaves + unit * 2.6}, unit * 0.4, unit * 1.1, stone);
  }
  arched_window(in, {foot.x, foot.y - unit * 2.1}, unit * 1.5, unit * 2.1, darker(stone, 0.15));
  arched_window(in, {foot.x, foot.y - unit * 1.8}, unit * 1.05, unit * 1.8, in.tint.wood);
}

}  // namespace rowrunner::spot_images
