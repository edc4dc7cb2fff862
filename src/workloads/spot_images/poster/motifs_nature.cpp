#include <algorithm>
#include <cmath>

#include "workloads/spot_images/poster/backdrop.hpp"
#include "workloads/spot_images/poster/buildings.hpp"
#include "workloads/spot_images/poster/foliage.hpp"
#include "workloads/spot_images/poster/motifs.hpp"
#include "workloads/spot_images/poster/water.hpp"

namespace rowrunner::spot_images {
namespace {

struct peak_shape {
  point top;
  double foot;
  double half;
};

double peak_edge(const peak_shape& of, double share, double side) {
  // Slopes that flatten towards the foot, as those of a volcano do.
  double down = std::pow(share, 1.35);
  return of.top.x + side * (of.half * 0.055 + of.half * 0.95 * down);
}

void trace_peak(cairo_t* pen, const peak_shape& of, crest rough) {
  for (int i = 40; i >= 0; --i) {
    double share = i / 40.0;
    cairo_line_to(pen, peak_edge(of, share, -1),
                  of.top.y + (of.foot - of.top.y) * share + rough.at(i * 9));
  }
  for (int i = 0; i <= 40; ++i) {
    double share = i / 40.0;
    cairo_line_to(pen, peak_edge(of, share, 1),
                  of.top.y + (of.foot - of.top.y) * share + rough.at(900 + i * 9));
  }
  cairo_close_path(pen);
}

void snow_streaks(const composition& in, const peak_shape& of, chance& dice, double reach) {
  cairo_t* pen = in.pen();
  double high = of.foot - of.top.y;
  colour snow = mix(in.tint.leaf.light, hex(0xffffff), 0.5);
  if (!in.in_winter()) snow = mix(hex(0xfbfaf6), in.tint.sky_low, in.at_night() ? 0.45 : 0.15);
  cairo_move_to(pen, of.top.x - of.half, of.top.y - 20);
  const int teeth = 42;
  for (int i = 0; i <= teeth * 2; ++i) {
    double x = of.top.x + of.half * 1.1 * (i / static_cast<double>(teeth) - 1);
    double depth = i % 2 == 0 ? dice.between(0.5, 0.75) : dice.between(0.85, 1.25);
    cairo_line_to(pen, x, of.top.y + high * reach * depth);
  }
  cairo_line_to(pen, of.top.x + of.half, of.top.y - 20);
  cairo_close_path(pen);
  fill_across(pen, of.top.x - of.half * 0.4, of.top.x + of.half * 0.45,
              {{0, snow},
               {0.5, snow},
               {0.62, mix(snow, in.tint.sky_top, 0.28)},
               {1, mix(snow, in.tint.sky_top, 0.45)}});
}

void great_peak(const composition& in, const peak_shape& of) {
  chance dice = in.dice("peak");
  crest rough(in.dice("rough"), {3, 7, 30, 0.6});
  saved_pen kept(in.pen());
  trace_peak(in.pen(), of, rough);
  cairo_clip(in.pen());
  colour rock = mix(in.tint.near, in.tint.sky_top, 0.42);
  box(in.pen(), 0, 0, in.width(), in.height());
  fill_down(in.pen(), of.top.y, of.foot,
            {{0, mix(rock, in.tint.near, 0.4)}, {0.5, rock}, {1, mix(rock, in.tint.mist, 0.85)}});
  for (int i = 0; i < 46; ++i) {
    double side = dice.between(-1, 1);
    double from = dice.between(0.1, 0.7);
    point start{of.top.x + side * of.half * std::pow(from, 1.35),
                of.top.y + (of.foot - of.top.y) * from};
    line(in.pen(), start, {start.x + side * dice.between(30, 90), start.y + dice.between(30, 120)});
    stroke(in.pen(), darker(rock, 0.35), dice.between(2, 9), 0.07);
  }
  snow_streaks(in, of, dice, in.in_winter() ? 0.62 : 0.30);
}

void wave_lines(const composition& in, double shore) {
  chance dice = in.dice("waves");
  for (int i = 0; i < 150; ++i) {
    double near = std::pow(dice.unit(), 1.3);
    double y = shore + 6 + (in.height() - shore) * near;
    double x = dice.between(-40, in.width());
    double length = (18 + 80 * near) * dice.between(0.6, 1.4);
    double high = (1.5 + 8 * near) * dice.between(0.6, 1.2);
    cairo_move_to(in.pen(), x, y);
    cairo_curve_to(in.pen(), x + length * 0.3, y - high, x + length * 0.6, y - high, x + length, y);
    cairo_curve_to(in.pen(), x + length * 0.6, y - high * 0.4, x + length * 0.3, y - high * 0.4, x,
                   y);
    fill(in.pen(), lighter(in.tint.water, dice.between(0.25, 0.6)), 0.5);
  }
}

void islet(const composition& in, chance& dice, point at, double wide, double fade) {
  cairo_t* pen = in.pen();
  crest rough(chance(dice.next()), {0, wide * 0.34, wide * 0.55, 0.5});
  auto top = [&](double share) {
    double body = std::pow(std::max(0.0, 1 - share * share), 0.6);
    return at.y - body * (wide * 0.30 - rough.at(at.x + share * wide));
  };
  cairo_move_to(pen, at.x - wide, at.y + 2);
  for (double share = -1; share <= 1.001; share += 0.02) {
    cairo_line_to(pen, at.x + share * wide, top(share));
  }
  cairo_line_to(pen, at.x + wide, at.y + 2);
  cairo_close_path(pen);
  colour rock = mix(darker(in.tint.stone, 0.25), in.tint.mist, fade);
  colour green = mix(in.tint.pine.plain, in.tint.mist, fade);
  fill_down(pen, at.y - wide * 0.55, at.y,
            {{0, green}, {0.35, mix(green, rock, 0.6)}, {0.55, rock}, {1, darker(rock, 0.4)}});
  tones bush{mix(in.tint.pine.dark, in.tint.mist, fade), green,
             mix(in.tint.pine.light, in.tint.mist, fade)};
  for (double share = -0.8; share < 0.82; share += 0.11) {
    paint_crown(pen, dice, {at.x + share * wide, top(share) + 3}, wide * dice.between(0.08, 0.14),
                wide * 0.06, bush);
  }
  for (double share : {-0.5, -0.12, 0.22, 0.56}) {
    paint_pine(in, dice, {at.x + share * wide, top(share) + 4}, wide * dice.between(0.42, 0.72));
  }
}

void sailing_boat(const composition& in, point at, double size) {
  cairo_t* pen = in.pen();
  cairo_move_to(pen, at.x, at.y - size);
  cairo_curve_to(pen, at.x + size * 0.5, at.y - size * 0.7, at.x + size * 0.55, at.y - size * 0.35,
                 at.x + size * 0.5, at.y - size * 0.14);
  cairo_line_to(pen, at.x, at.y - size * 0.14);
  cairo_close_path(pen);
  fill_across(pen, at.x, at.x + size * 0.5,
              {{0, lighter(in.tint.wall, 0.3)}, {1, darker(in.tint.wall, 0.2)}});
  outline(pen, {{at.x - size * 0.05, at.y - size * 0.85},
                {at.x - size * 0.38, at.y - size * 0.16},
                {at.x - size * 0.05, at.y - size * 0.16}});
  fill(pen, in.tint.vermilion);
  cairo_move_to(pen, at.x - size * 0.5, at.y - size * 0.1);
  cairo_curve_to(pen, at.x - size * 0.35, at.y + size * 0.06, at.x + size * 0.4, at.y + size * 0.06,
                 at.x + size * 0.6, at.y - size * 0.12);
  cairo_close_path(pen);
  fill(pen, darker(in.tint.wood, 0.2));
}

void beach(const composition& in) {
  cairo_t* pen = in.pen();
  auto trace = [&](double up) {
    double left = in.side() < 0 ? in.height() - 60 : in.height() - 190;
    double right = in.side() < 0 ? in.height() - 190 : in.height() - 60;
    cairo_move_to(pen, -5, in.height() + 5);
    cairo_line_to(pen, -5, left - up);
    cairo_curve_to(pen, in.width() * 0.3, left - up + 40, in.width() * 0.6, right - up + 90,
                   in.width() + 5, right - up);
    cairo_line_to(pen, in.width() + 5, in.height() + 5);
    cairo_close_path(pen);
  };
  trace(16);
  fill(pen, lighter(in.tint.water, 0.35), 0.55);
  trace(7);
  fill(pen, hex(0xffffff), in.at_night() ? 0.35 : 0.8);
  trace(0);
  colour sand = in.in_winter() ? in.tint.grass.light : in.tint.sand;
  fill_down(pen, in.height() - 200, in.height(), {{0, sand}, {1, darker(sand, 0.16)}});
}

void field_rows(const composition& in, const crest& top, double bottom, colour paint) {
  saved_pen kept(in.pen());
  top.trace(in, bottom);
  cairo_clip(in.pen());
  for (double shift = 10; shift < 170; shift *= 1.28) {
    cairo_move_to(in.pen(), -5, top.at(-5) + shift);
    for (double x = 0; x < in.width() + 10; x += 12)
      cairo_line_to(in.pen(), x, top.at(x) + shift + 6 * std::sin(x * 0.012));
    stroke(in.pen(), paint, 1 + shift * 0.03, 0.32);
  }
}

void cottage(const composition& in, point foot, double wide) {
  paint_wall(in, {foot.x, foot.y - wide * 0.32, wide * 0.42, wide * 0.32, 5}, in.tint.wall,
             in.tint.wood);
  colour thatch = in.what.western ? mix(in.tint.vermilion, in.tint.wood, 0.45)
                                  : mix(in.tint.earth, in.tint.wood, 0.45);
  paint_roof(in,
             {foot.x, foot.y - wide * 0.30, wide * 0.62, wide * 0.24, wide * 0.46,
              in.what.western ? 0.5 : wide * 0.03},
             thatch);
}

}  // namespace

void paint_mountain_scene(const composition& in) {
  chance dice = in.dice("mountain");
  paint_open_air(in, 2, 150);
  double x = in.focus - in.side() * dice.between(20, 70);
  great_peak(in, {{x, in.height() * 0.15}, in.horizon + 30, dice.between(500, 620)});
  haze(in.on, in.horizon - 150, in.horizon + 50, in.tint.mist, 0.75);
  crest front(in.dice("front"), {in.horizon + 16, 80, 300, 0.2});
  paint_woods(in, in.dice("front woods"), front, in.horizon + 34, 22, 0.6, 0.28);
  double shore = in.horizon + 36;
  paint_water(in, shore, 0.95);
  paint_glints(in, shore, disc_place(in).x);
  for (int i = 0; i < 11; ++i) {
    double at = in.focus + in.side() * (150 + 62.0 * i) + dice.between(-22, 22);
    paint_cedar(in, dice, {at, in.height() + 12 - 4.0 * i}, dice.between(200, 330));
  }
  for (double at : {0.0, 60.0, 130.0}) {
    paint_cedar(in, dice, {in.focus - in.side() * (560 + at), in.height() + 20},
                dice.between(150, 240));
  }
  paint_grass(in, in.dice("grass"), -10, in.width() + 10, in.height() + 4, 260, 44);
}

void paint_sea_scene(const composition& in) {
  chance dice = in.dice("sea");
  paint_open_air(in, 2, 70);
  double shore = in.horizon + 8;
  islet(in, dice, {in.focus - in.side() * 300, shore}, 80, 0.35);
  islet(in, dice, {in.focus + in.side() * 90, shore + 2}, 170, 0.10);
  paint_water(in, shore, 0.35);
  paint_glints(in, shore, disc_place(in).x);
  wave_lines(in, shore);
  sailing_boat(in, {in.focus - in.side() * 170, shore + 92}, 96);
  beach(in);
  double bank = in.side() < 0 ? in.width() - 150 : 150;
  if (!in.what.western) {
    double x = in.side() < 0 ? in.width() * 0.84 : in.width() * 0.16;
    paint_pine(in, dice, {x, in.height() - 112}, 235);
  }
  paint_grass(in, in.dice("dune"), bank - 240, bank + 240, in.height() + 4, 200, 60);
  paint_framing_branch(in, in.side());
}

void paint_hills_scene(const composition& in) {
  chance dice = in.dice("hills");
  paint_open_air(in, 4, 250);
  const int folds = 4;
  for (int fold = 0; fold < folds; ++fold) {
    double near = fold / (folds - 1.0);
    double base = in.horizon + 50 + 175 * near;
    crest top(chance(dice.next()), {base, 70 + 40 * near, 430 + 160 * near, 0.05});
    double veil = 0.5 * (1 - near);
    colour upper = mix(mix(in.tint.grass.light, in.tint.grass.plain, 0.3 + dice.between(0, 0.5)),
                       in.tint.mist, veil);
    top.trace(in, in.height() + 5);
    fill_down(in.pen(), base - 80, base + 150,
              {{0, upper}, {1, mix(darker(in.tint.grass.dark, 0.1), in.tint.mist, veil)}});
    field_rows(in, top, in.height() + 5, in.tint.grass.dark);
    for (int i = 0; i < 10 - fold * 2; ++i) {
      double x = dice.between(-20, in.width() + 20);
      double high = (60 + 130 * near) * dice.between(0.75, 1.2);
      if (fold == 2 && std::abs(x - in.focus) < 120) continue;
      dice.odds(0.7) ? paint_tree(in, dice, {x, top.at(x) + 8}, high)
                     : paint_cedar(in, dice, {x, top.at(x) + 8}, high * 1.25);
    }
    if (fold == 2) {
      cottage(in, {in.focus, top.at(in.focus) + 26}, 120);
      cottage(in, {in.focus + in.side() * 105, top.at(in.focus + in.side() * 105) + 20}, 84);
    }
    haze(in.on, base - 20, base + 90, in.tint.mist, 0.18 * (1 - near));
  }
  paint_grass(in, in.dice("meadow"), -10, in.width() + 10, in.height() + 6, 420, 52);
  paint_framing_branch(in, in.side());
}

}  // namespace rowrunner::spot_images
