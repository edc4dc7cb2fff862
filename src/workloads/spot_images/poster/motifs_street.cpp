#include <algorithm>
#include <cmath>

#include "workloads/spot_images/poster/backdrop.hpp"
#include "workloads/spot_images/poster/buildings.hpp"
#include "workloads/spot_images/poster/foliage.hpp"
#include "workloads/spot_images/poster/lane.hpp"
#include "workloads/spot_images/poster/motifs.hpp"

namespace rowrunner::spot_images {
namespace {

/// One house on one side of the street, from depth `near` to depth `far`.
struct plot {
  const lane& street;
  double side;
  double near, far;

  double wall() const { return side * street.half; }
  double out(double by) const { return side * (street.half - by); }
  double along(double share) const { return near + (far - near) * share; }
  double veil() const { return std::clamp((near - 2) / 12, 0.0, 0.6); }
};

void upright(const composition& in, const plot& of, double low, double high, colour paint,
             double from = 0, double to = 1, double stand_out = 0) {
  double x = of.out(stand_out);
  trace_in_lane(in.pen(), of.street,
                {{x, low, of.along(from)},
                 {x, high, of.along(from)},
                 {x, high, of.along(to)},
                 {x, low, of.along(to)}});
  fill(in.pen(), mix(paint, in.tint.mist, of.veil()));
}

/// A roof that slopes towards the street: from `high` at the wall to `low` at the eaves.
void pent_roof(const composition& in, const plot& of, double low, double high, double depth_in,
               double depth_out) {
  cairo_t* pen = in.pen();
  colour tiles = mix(in.tint.roof, in.tint.mist, of.veil());
  colour face = in.in_winter() ? mix(in.tint.leaf.light, in.tint.mist, of.veil() * 0.5)
                               : lighter(tiles, 0.08);
  trace_in_lane(pen, of.street,
                {{of.out(-depth_in), high, of.near},
                 {of.out(depth_out), low, of.near},
                 {of.out(depth_out), low, of.far},
                 {of.out(-depth_in), high, of.far}});
  fill(pen, face);
  for (double share = 0; share <= 1; share += 0.09) {
    line(pen, of.street.at(of.out(-depth_in), high, of.along(share)),
         of.street.at(of.out(depth_out), low, of.along(share)));
    stroke(pen, darker(tiles, 0.45), 1.7 / of.near, in.in_winter() ? 0.15 : 0.5);
  }
  trace_in_lane(pen, of.street,
                {{of.out(depth_out), low, of.near},
                 {of.out(depth_out), low - 9, of.near},
                 {of.out(depth_out), low - 9, of.far},
                 {of.out(depth_out), low, of.far}});
  fill(pen, darker(tiles, 0.4));
  trace_in_lane(pen, of.street,
                {{of.out(depth_out), low - 9, of.near},
                 {of.wall(), low - 4, of.near},
                 {of.wall(), low - 4, of.far},
                 {of.out(depth_out), low - 9, of.far}});
  fill(pen, darker(in.tint.wood, 0.62));
}

void lattice(const composition& in, const plot& of, double low, double high, double from, double to,
             double light) {
  upright(in, of, low, high, mix(darker(in.tint.wood, 0.5), in.tint.lamp, light), from, to);
  colour bar = mix(darker(in.tint.wood, 0.35), in.tint.mist, of.veil());
  double step = (to - from) / 12;
  for (double share = from; share <= to + 0.001; share += step) {
    line(in.pen(), of.street.at(of.wall(), low, of.along(share)),
         of.street.at(of.wall(), high, of.along(share)));
  }
  stroke(in.pen(), bar, 3.2 / of.near);
  for (double level : {low, (low + high) / 2, high}) {
    line(in.pen(), of.street.at(of.wall(), level, of.along(from)),
         of.street.at(of.wall(), level, of.along(to)));
  }
  stroke(in.pen(), bar, 4.5 / of.near);
}

/// The end wall that shows where the next house is lower or further back.
void end_wall(const composition& in, const plot& of, double top, double ridge, double back,
              colour paint) {
  double x = of.wall();
  double end = of.out(-back);
  double beyond = of.out(-900);
  trace_in_lane(in.pen(), of.street,
                {{x, 0, of.near},
                 {x, top, of.near},
                 {end, ridge, of.near},
                 {beyond, ridge, of.near},
                 {beyond, 0, of.near}});
  fill(in.pen(), mix(paint, in.tint.mist, of.veil()));
}

void machiya(const composition& in, chance& dice, const plot& of) {
  double lit = in.tint.lamp_light;
  double eaves = dice.between(172, 184);
  double top = eaves + dice.between(108, 124);
  colour plaster = dice.odds(0.5) ? in.tint.wall : mix(in.tint.earth, in.tint.wood, 0.3);
  upright(in, of, 0, top, darker(in.tint.wood, 0.25));
  upright(in, of, eaves, top, plaster);
  lattice(in, of, eaves + 22, top - 24, 0.14, 0.86, lit * dice.between(0.35, 0.85));
  lattice(in, of, 14, eaves - 26, 0.05, 0.52, lit * dice.between(0.4, 0.9));
  upright(in, of, 0, eaves - 26, mix(darker(in.tint.wood, 0.6), in.tint.lamp, lit * 0.75), 0.60,
          0.92);
  const colour cloths[] = {hex(0x2c3f6b), hex(0x7d2430), hex(0x39543f), hex(0x5a3a63),
                           hex(0xb99a5a)};
  colour cloth = mix(cloths[dice.below(5)], in.tint.sky_top, in.at_night() ? 0.25 : 0.05);
  for (double share : {0.60, 0.71, 0.82}) {
    upright(in, of, eaves - 82, eaves - 26, cloth, share + 0.005, share + 0.10, 3);
  }
  pent_roof(in, of, top - 8, top + 46, 74, 46);
  pent_roof(in, of, eaves - 22, eaves + 4, 0, 50);
  upright(in, of, 0, 9, darker(in.tint.stone, 0.3), 0, 1, 6);
  end_wall(in, of, top, top + 46, 74, darker(in.tint.wood, 0.4));
  point lamp = of.street.at(of.out(40), eaves - 62, of.along(0.56));
  colour paper = dice.odds(0.55) ? hex(0xd84a32) : hex(0xf4e6c8);
  paint_paper_lantern(in, lamp, 30 / of.along(0.56), paper);
}

void townhouse(const composition& in, chance& dice, const plot& of) {
  double top = dice.between(326, 346);
  double lit = in.tint.lamp_light;
  const colour fronts[] = {hex(0xefe0c4), hex(0xe5c9a8), hex(0xd9c3b5), hex(0xcfd3cc),
                           hex(0xe8d9b8)};
  colour front = times(fronts[dice.below(5)], in.tint.wall);
  upright(in, of, 0, top, front);
  pent_roof(in, of, top - 4, top + 66, 34, 12);
  for (double floor = 118; floor + 60 < top; floor += 82) {
    for (double share = 0.10; share < 0.86; share += 0.21) {
      bool on = dice.odds(0.55);
      upright(in, of, floor + 8, floor + 60, darker(front, 0.3), share - 0.012, share + 0.112);
      upright(in, of, floor + 10, floor + 58,
              mix(hex(0x4a5662), in.tint.lamp, on ? lit * 0.9 : 0.05), share, share + 0.10);
      upright(in, of, floor, floor + 10, hex(0x2d2a2e), share - 0.02, share + 0.12, 6);
    }
    upright(in, of, floor - 12, floor - 6, lighter(front, 0.3), 0, 1, 3);
  }
  upright(in, of, 0, 78, mix(hex(0x2e2a28), in.tint.lamp, 0.25 + lit * 0.6), 0.06, 0.94);
  for (double share = 0.06; share < 0.95; share += 0.16)
    upright(in, of, 0, 80, hex(0x33241f), share, share + 0.02);
  const colour cloths[] = {hex(0xa8322c), hex(0x2f5d4a), hex(0x2d4470), hex(0xc58a2e)};
  colour cloth = mix(cloths[dice.below(4)], in.tint.sky_top, in.at_night() ? 0.35 : 0.05);
  const int stripes = 9;
  for (int i = 0; i < stripes; ++i) {
    double from = of.along(0.04 + 0.92 * i / stripes);
    double to = of.along(0.04 + 0.92 * (i + 1) / stripes);
    trace_in_lane(in.pen(), of.street,
                  {{of.wall(), 108, from},
                   {of.out(72), 76, from},
                   {of.out(72), 66, from},
                   {of.out(72), 66, to},
                   {of.out(72), 76, to},
                   {of.wall(), 108, to}});
    fill(in.pen(), mix(i % 2 ? lighter(in.tint.wall, 0.1) : cloth, in.tint.mist, of.veil()));
  }
  end_wall(in, of, top, top + 66, 34, darker(front, 0.3));
  point lamp = of.street.at(of.out(84), 150, of.along(0.02));
  line(in.pen(), lamp, of.street.at(of.out(84), 0, of.along(0.02)));
  stroke(in.pen(), hex(0x22201f), 6 / of.near);
  shine(in.pen(), lamp.x, lamp.y, 110 / of.near, in.tint.lamp, 0.2 + 0.7 * lit);
  dot(in.pen(), lamp.x, lamp.y, 11 / of.near);
  fill(in.pen(), mix(in.tint.wall, in.tint.lamp, 0.4));
}

void church(const composition& in, point foot, double high) {
  cairo_t* pen = in.pen();
  colour stone = mix(in.tint.stone, in.tint.mist, 0.35);
  box(pen, foot.x - high * 0.09, foot.y - high * 0.66, high * 0.18, high * 0.66);
  fill_across(pen, foot.x - high * 0.09, foot.x + high * 0.09,
              {{0, lighter(stone, 0.2)}, {1, darker(stone, 0.25)}});
  outline(pen, {{foot.x - high * 0.1, foot.y - high * 0.66},
                {foot.x, foot.y - high},
                {foot.x + high * 0.1, foot.y - high * 0.66}});
  fill(pen, mix(in.tint.roof, in.tint.mist, 0.35));
}

}  // namespace

void paint_street_scene(const composition& in) {
  chance dice = in.dice("street");
  paint_open_air(in, 3, 200);
  lane street{{in.focus, in.horizon}, 165, in.what.western ? 400.0 : 370.0};
  if (in.what.western) {
    church(in, {in.focus + in.side() * 14, in.horizon + 12}, 300);
  } else {
    crest hill(in.dice("hill"), {in.horizon, 90, 300, 0.1});
    paint_woods(in, in.dice("hill woods"), hill, in.horizon + 20, 20, 0.5, 0.4);
    paint_pagoda(in, {in.focus + in.side() * 12, in.horizon + 8}, 320, 5, 0.18);
  }
  paint_paving(in, street, mix(in.tint.stone, in.tint.sand, 0.4));
  if (in.in_winter()) haze(in.on, in.horizon, in.height() + 200, in.tint.leaf.light, 0.5);
  double far = 15;
  while (far > 0.32) {
    double near = std::max(0.3, far / dice.between(1.32, 1.42));
    for (double side : {-1.0, 1.0}) {
      plot house{street, side, near, far};
      in.what.western ? townhouse(in, dice, house) : machiya(in, dice, house);
      if (in.what.western && near > 2.4 && near < 9) {
        paint_tree(in, dice, street.at(house.out(128), 0, near * 1.16), 235 / (near * 1.16));
      }
      point ground = street.at(house.out(90), 0, near);
      shine(in.pen(), ground.x, ground.y, 130 / near, in.tint.lamp, 0.34 * in.tint.lamp_light);
    }
    if (far > 6) haze(in.on, in.horizon - 80, in.horizon + 50, in.tint.mist, 0.10);
    far = near;
  }
  if (!in.what.western) {
    paint_stroller(in, street.at(-in.side() * 40, 0, 2.1), 96, hex(0x51365f), in.tint.vermilion);
    paint_stroller(in, street.at(in.side() * 55, 0, 2.9), 68, hex(0x2f4a6a),
                   mix(in.tint.wall, in.tint.gold, 0.3));
  }
}

}  // namespace rowrunner::spot_images
