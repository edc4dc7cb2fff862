#include <cmath>

#include "workloads/spot_images/poster/backdrop.hpp"
#include "workloads/spot_images/poster/buildings.hpp"
#include "workloads/spot_images/poster/foliage.hpp"
#include "workloads/spot_images/poster/motifs.hpp"
#include "workloads/spot_images/poster/water.hpp"

namespace rowrunner::spot_images {
namespace {

/// A dark wooded rise behind the subject, which sets it off against the pale mountains.
void wooded_rise(const composition& in, double base, double rise, double size, double evergreen,
                 double fade) {
  crest above(in.dice("rise"), {base, rise, 380, 0.15});
  paint_woods(in, in.dice("rise woods"), above, base + 40, size, evergreen, fade);
  haze(in.on, base - rise * 0.3, base + 60, in.tint.mist, 0.5);
}

void row_of_trees(const composition& in, chance& dice, double from, double to, double y,
                  double high) {
  for (double x = from; x < to; x += high * dice.between(0.45, 0.75)) {
    paint_tree(in, dice, {x, y + dice.between(-6, 12)}, high * dice.between(0.8, 1.15));
  }
}

void cedar_avenue(const composition& in, chance& dice, double from, double reach) {
  for (int depth = 0; depth < 5; ++depth) {
    double near = depth / 4.0;
    for (double side : {-1.0, 1.0}) {
      double x = in.focus + side * (from + (reach - from) * near) + dice.between(-20, 20);
      paint_cedar(in, dice, {x, in.horizon + 20 + 90 * near}, 300 + 230 * near, 0.55 * (1 - near));
    }
    haze(in.on, in.horizon - 60, in.horizon + 80, in.tint.mist, 0.22);
  }
}

void steps(const composition& in, point top, double wide, int count) {
  cairo_t* pen = in.pen();
  double y = top.y;
  for (int i = 0; i < count; ++i) {
    double own = wide * (1 + i * 0.09);
    double high = 7 + i * 1.6;
    box(pen, top.x - own / 2, y, own, high);
    fill(pen, darker(in.tint.stone, 0.22));
    box(pen, top.x - own / 2 - 2, y, own + 4, high * 0.48);
    fill(pen, in.in_winter() ? in.tint.leaf.light : lighter(in.tint.stone, 0.25));
    y += high;
  }
}

}  // namespace

void paint_pagoda_scene(const composition& in) {
  chance dice = in.dice("pagoda");
  paint_open_air(in, 4, 250);
  wooded_rise(in, in.horizon + 10, 110, 26, 0.55, 0.30);
  paint_ground(in, in.horizon + 36, in.tint.grass);
  row_of_trees(in, dice, -20, in.width() + 40, in.horizon + 44, 150);
  paint_pagoda(in, {in.focus, in.horizon + 84}, 590, 5);
  row_of_trees(in, dice, -40, in.focus - 150, in.horizon + 92, 235);
  row_of_trees(in, dice, in.focus + 130, in.width() + 60, in.horizon + 96, 215);
  paint_shrubs(in, in.dice("hedge"), -20, in.width() + 30, in.horizon + 106, 34, in.tint.pine);
  paint_path(in, {in.focus, in.horizon + 98}, 46, 420, in.tint.sand);
  paint_shrubs(in, in.dice("bank"), -30, in.focus - 260, in.height() - 18, 62, in.tint.leaf);
  paint_shrubs(in, in.dice("bank 2"), in.focus + 300, in.width() + 40, in.height() - 12, 66,
               in.tint.pine);
  paint_stone_lantern(in, {in.focus - in.side() * 215, in.height() - 58}, 126);
  paint_framing_branch(in, in.side());
}

void paint_church_scene(const composition& in) {
  chance dice = in.dice("church");
  paint_open_air(in, 4, 230);
  wooded_rise(in, in.horizon + 8, 100, 26, 0.4, 0.30);
  paint_ground(in, in.horizon + 34, in.tint.grass);
  row_of_trees(in, dice, -20, in.width() + 40, in.horizon + 42, 130);
  paint_church(in, {in.focus, in.horizon + 84}, 420);
  row_of_trees(in, dice, -40, in.focus - 190, in.horizon + 96, 200);
  row_of_trees(in, dice, in.focus + 190, in.width() + 60, in.horizon + 96, 190);
  paint_path(in, {in.focus, in.horizon + 84}, 84, 460, in.tint.sand);
  paint_shrubs(in, in.dice("bank"), -30, in.focus - 270, in.height() - 18, 56, in.tint.leaf);
  paint_shrubs(in, in.dice("bank 2"), in.focus + 300, in.width() + 40, in.height() - 12, 60,
               in.tint.leaf);
  paint_framing_branch(in, in.side());
}

void paint_stage_scene(const composition& in) {
  chance dice = in.dice("stage");
  paint_open_air(in, 4, 260);
  wooded_rise(in, in.horizon - 20, 190, 30, 0.45, 0.30);
  paint_pagoda(in, {in.focus - in.side() * 430, in.horizon - 96}, 190, 3, 0.25);
  crest slope(in.dice("slope"), {in.horizon + 40, 70, 420, 0.1});
  paint_woods(in, in.dice("slope woods"), slope, in.height(), 40, 0.3, 0.08);
  paint_stage_hall(in, {in.focus, in.horizon + 190}, 600);
  for (int row = 0; row < 3; ++row) {
    for (double x = -40; x < in.width() + 60; x += dice.between(56, 90)) {
      double y =
          in.horizon + 165 + row * 58 + std::abs(x - in.focus) * -0.10 + dice.between(-10, 14);
      paint_crown(in.pen(), dice, {x, y}, dice.between(52, 84), dice.between(34, 50),
                  dice.odds(0.22) ? in.tint.pine : in.tint.leaf);
    }
    haze(in.on, in.horizon + 150 + row * 50, in.horizon + 260 + row * 60, in.tint.mist, 0.16);
  }
  paint_framing_branch(in, in.side());
}

void paint_pavilion_scene(const composition& in) {
  chance dice = in.dice("pavilion");
  bool golden = in.what.motif == motif::pavilion;
  paint_open_air(in, 4, 240);
  wooded_rise(in, in.horizon + 4, 150, 28, 0.6, 0.22);
  double shore = in.horizon + 62;
  paint_ground(in, in.horizon + 30, in.tint.grass);
  for (double x = 30; x < in.width(); x += dice.between(90, 170)) {
    if (std::abs(x - in.focus) > 240) {
      dice.odds(0.5) ? paint_pine(in, dice, {x, shore - 8}, dice.between(150, 230))
                     : paint_tree(in, dice, {x, shore - 8}, dice.between(140, 220));
    }
  }
  paint_pavilion(in, {in.focus, shore - 2}, 430, golden);
  paint_shrubs(in, in.dice("shore"), -20, in.focus - 250, shore - 2, 26, in.tint.pine);
  paint_shrubs(in, in.dice("shore 2"), in.focus + 250, in.width() + 30, shore - 2, 26,
               in.tint.pine);
  paint_water(in, shore, 1);
  paint_glints(in, shore, in.focus);
  point islet{in.focus - in.side() * 330, in.height() - 92};
  oval(in.pen(), islet.x, islet.y + 8, 120, 16);
  fill(in.pen(), darker(in.tint.grass.dark, 0.2));
  paint_rock(in, dice, {islet.x - 40, islet.y + 8}, 46, 40);
  paint_rock(in, dice, {islet.x + 52, islet.y + 10}, 34, 26);
  paint_pine(in, dice, {islet.x + 4, islet.y + 4}, 150);
  paint_framing_branch(in, in.side());
}

void paint_castle_scene(const composition& in) {
  chance dice = in.dice("castle");
  paint_open_air(in, 4, 230);
  wooded_rise(in, in.horizon + 6, 90, 28, 0.5, 0.28);
  paint_ground(in, in.horizon + 30, in.tint.grass);
  row_of_trees(in, dice, -20, in.width() + 20, in.horizon + 40, 130);
  if (in.what.western) {
    paint_stone_castle(in, {in.focus, in.horizon + 60}, 520);
  } else {
    paint_keep(in, {in.focus, in.horizon + 60}, 440, 2 + dice.below(3));
  }
  row_of_trees(in, dice, -60, in.focus - 230, in.horizon + 72, 210);
  row_of_trees(in, dice, in.focus + 250, in.width() + 60, in.horizon + 72, 200);
  double moat = in.horizon + 84;
  box(in.pen(), -5, moat - 34, in.width() + 10, 36);
  fill_down(in.pen(), moat - 34, moat,
            {{0, lighter(in.tint.stone, 0.1)}, {1, darker(in.tint.stone, 0.4)}});
  for (double x = -5; x < in.width(); x += dice.between(18, 34)) {
    box(in.pen(), x, moat - 33 + 16 * dice.below(2), dice.between(12, 28), 14);
    fill(in.pen(), mix(darker(in.tint.stone, 0.45), lighter(in.tint.stone, 0.2), dice.unit()),
         0.45);
  }
  paint_water(in, moat, 0.9);
  paint_glints(in, moat, disc_place(in).x);
  paint_framing_branch(in, in.side());
}

void paint_torii_scene(const composition& in) {
  chance dice = in.dice("torii");
  paint_open_air(in, 3, 240);
  wooded_rise(in, in.horizon, 150, 30, 0.7, 0.35);
  paint_ground(in, in.horizon + 20, in.tint.grass);
  cedar_avenue(in, dice, 120, 430);
  paint_roof(in, {in.focus, in.horizon - 34, 132, 70, 62, 16}, in.tint.roof);
  paint_wall(in, {in.focus, in.horizon - 32, 92, 50, 7}, mix(in.tint.wall, in.tint.wood, 0.2),
             mix(in.tint.wood, in.tint.vermilion, 0.5));
  paint_path(in, {in.focus, in.horizon + 18}, 88, 560, in.tint.sand);
  steps(in, {in.focus, in.horizon + 16}, 110, 5);
  for (int pair = 0; pair < 3; ++pair) {
    double away = 118 + pair * 62;
    double y = in.horizon + 62 + pair * 36;
    paint_stone_lantern(in, {in.focus - away, y}, 70 + pair * 22);
    paint_stone_lantern(in, {in.focus + away, y}, 70 + pair * 22);
  }
  paint_torii(in, {in.focus, in.horizon + 176}, 540);
  paint_shrubs(in, in.dice("left"), -30, in.focus - 270, in.height() - 20, 58, in.tint.leaf);
  paint_shrubs(in, in.dice("right"), in.focus + 290, in.width() + 40, in.height() - 20, 58,
               in.tint.leaf);
  paint_framing_branch(in, in.side());
}

}  // namespace rowrunner::spot_images
