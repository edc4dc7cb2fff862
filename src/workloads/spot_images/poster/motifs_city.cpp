#include <algorithm>
#include <cmath>

#include "workloads/spot_images/poster/backdrop.hpp"
#include "workloads/spot_images/poster/foliage.hpp"
#include "workloads/spot_images/poster/motifs.hpp"
#include "workloads/spot_images/poster/water.hpp"

namespace rowrunner::spot_images {
namespace {

struct block {
  double x, wide, top, foot;
};

void windows(const composition& in, chance& dice, const block& of, double near) {
  cairo_t* pen = in.pen();
  double step_x = 9 + 5 * near;
  double step_y = 12 + 6 * near;
  bool ribbon = dice.odds(0.35);
  for (double y = of.top + step_y * 0.7; y < of.foot - step_y; y += step_y) {
    for (double x = of.x + step_x * 0.5; x < of.x + of.wide - step_x * 0.7; x += step_x) {
      bool lit = dice.odds(0.25 + 0.25 * in.tint.lamp_light);
      box(pen, x, y, ribbon ? step_x : step_x * 0.52, step_y * 0.46);
      if (lit && in.tint.lamp_light > 0.2) {
        fill(pen, mix(in.tint.lamp, hex(0xfff3d0), dice.unit() * 0.5),
             0.35 + 0.6 * in.tint.lamp_light * near);
      } else {
        fill(pen, mix(in.tint.sky_top, hex(0x1d2a38), 0.35), 0.22 + 0.32 * near);
      }
    }
  }
}

void rooftop(const composition& in, chance& dice, const block& of, colour body) {
  cairo_t* pen = in.pen();
  double middle = of.x + of.wide / 2;
  switch (dice.below(4)) {
    case 0:
      box(pen, of.x + of.wide * 0.2, of.top - 12, of.wide * 0.6, 13);
      fill(pen, darker(body, 0.1));
      break;
    case 1:
      outline(pen,
              {{of.x, of.top + 1}, {middle, of.top - of.wide * 0.4}, {of.x + of.wide, of.top + 1}});
      fill(pen, darker(body, 0.16));
      break;
    case 2:
      line(pen, {middle, of.top}, {middle, of.top - 46});
      stroke(pen, darker(body, 0.2), 2.4);
      break;
    default:
      break;
  }
  if (in.in_winter()) {
    box(pen, of.x - 1, of.top - 4, of.wide + 2, 6);
    fill(pen, in.tint.leaf.light);
  }
}

void city_row(const composition& in, chance dice, double foot, double tallest, double near) {
  colour deep = mix(in.tint.near, in.tint.sky_top, 0.45);
  for (double x = -30; x < in.width() + 20;) {
    double wide = dice.between(38, 92) * (0.7 + 0.5 * near);
    // The tallest stand around the subject and make a silhouette that rises and falls.
    double away = std::abs(x + wide / 2 - in.focus) / in.width();
    double high = tallest * dice.between(0.35, 1.0) * (1.05 - 0.75 * away);
    block own{x, wide, foot - high, foot};
    colour tone =
        mix(mix(deep, in.tint.wall, dice.between(0.05, 0.40)), in.tint.mist, 0.62 * (1 - near));
    rooftop(in, dice, own, tone);
    box(in.pen(), own.x, own.top, own.wide, high + 2);
    fill_across(in.pen(), own.x, own.x + own.wide,
                {{0, lighter(tone, 0.14)},
                 {0.72, tone},
                 {0.74, darker(tone, 0.16)},
                 {1, darker(tone, 0.24)}});
    windows(in, dice, own, near);
    x += wide + dice.between(-6, 14);
  }
}

/// A slender observation tower: lattice legs, a deck, a mast.
void lattice_tower(const composition& in, point foot, double high) {
  cairo_t* pen = in.pen();
  colour steel = in.what.western ? mix(in.tint.wood, in.tint.stone, 0.35) : in.tint.vermilion;
  auto half = [&](double share) { return high * (0.020 + 0.15 * std::pow(1 - share, 2.6)); };
  for (int level = 0; level < 15; ++level) {
    double low = level / 18.0;
    double up = (level + 1) / 18.0;
    point a{foot.x - half(low), foot.y - high * low};
    point b{foot.x + half(low), foot.y - high * low};
    point c{foot.x + half(up), foot.y - high * up};
    point d{foot.x - half(up), foot.y - high * up};
    line(pen, a, c);
    line(pen, b, d);
    line(pen, d, c);
    stroke(pen, darker(steel, 0.12), 2.2);
    line(pen, a, d);
    stroke(pen, lighter(steel, 0.2), 5.5 - 0.2 * level);
    line(pen, b, c);
    stroke(pen, darker(steel, 0.28), 5.5 - 0.2 * level);
  }
  for (double deck : {0.40, 0.80}) {
    double wide = half(deck) * 1.25 + high * 0.022;
    double y = foot.y - high * deck;
    box(pen, foot.x - wide, y - high * 0.036, wide * 2, high * 0.036);
    fill_across(
        pen, foot.x - wide, foot.x + wide,
        {{0, lighter(in.tint.wall, 0.2)}, {0.6, in.tint.wall}, {1, darker(in.tint.wall, 0.35)}});
    box(pen, foot.x - wide * 0.94, y - high * 0.026, wide * 1.88, high * 0.014);
    fill(pen, mix(in.tint.sky_top, in.tint.lamp, in.tint.lamp_light));
    shine(pen, foot.x, y - high * 0.02, wide * 4, in.tint.lamp, 0.5 * in.tint.lamp_light);
  }
  outline(pen, {{foot.x - 4, foot.y - high * 0.83},
                {foot.x - 1, foot.y - high},
                {foot.x + 1, foot.y - high},
                {foot.x + 4, foot.y - high * 0.83}});
  fill(pen, lighter(steel, 0.1));
  shine(pen, foot.x, foot.y - high * 0.4, high * 0.5, steel, 0.3 * in.tint.lamp_light);
}

void park_edge(const composition& in, double y) {
  chance dice = in.dice("park");
  for (double x = -20; x < in.width() + 30; x += dice.between(46, 84)) {
    paint_tree(in, dice, {x, y + 6}, dice.between(70, 120));
  }
  paint_shrubs(in, in.dice("quay"), -20, in.width() + 20, y + 4, 20, in.tint.pine);
}

}  // namespace

void paint_tower_scene(const composition& in) {
  paint_open_air(in, 4, 240);
  city_row(in, in.dice("far row"), in.horizon + 12, 120, 0.15);
  haze(in.on, in.horizon - 100, in.horizon + 30, in.tint.mist, 0.4);
  city_row(in, in.dice("middle row"), in.horizon + 40, 130, 0.5);
  lattice_tower(in, {in.focus, in.horizon + 46}, 590);
  city_row(in, in.dice("near row"), in.horizon + 96, 120, 0.95);
  park_edge(in, in.horizon + 104);
  double water = in.horizon + 110;
  paint_water(in, water, 0.75);
  paint_glints(in, water, in.focus);
  paint_framing_branch(in, in.side());
}

void paint_skyline_scene(const composition& in) {
  paint_open_air(in, 3, 190);
  city_row(in, in.dice("far row"), in.horizon + 10, 330, 0.1);
  haze(in.on, in.horizon - 220, in.horizon + 30, in.tint.mist, 0.4);
  city_row(in, in.dice("middle row"), in.horizon + 24, 270, 0.5);
  haze(in.on, in.horizon - 120, in.horizon + 40, in.tint.mist, 0.3);
  city_row(in, in.dice("near row"), in.horizon + 40, 180, 0.95);
  park_edge(in, in.horizon + 48);
  double water = in.horizon + 54;
  paint_water(in, water, 0.75);
  paint_glints(in, water, disc_place(in).x);
  paint_framing_branch(in, in.side());
}

}  // namespace rowrunner::spot_images
