#include <algorithm>
#include <cmath>

#include "workloads/spot_images/poster/backdrop.hpp"
#include "workloads/spot_images/poster/buildings.hpp"
#include "workloads/spot_images/poster/foliage.hpp"
#include "workloads/spot_images/poster/motifs.hpp"

namespace rowrunner::spot_images {
namespace {

void trunks(const composition& in, chance& dice, double foot, double near, int count, double gap) {
  cairo_t* pen = in.pen();
  for (int i = 0; i < count; ++i) {
    double x = dice.between(-20, in.width() + 20);
    if (std::abs(x - in.focus) < gap) continue;
    double wide = (8 + 34 * near) * dice.between(0.7, 1.2);
    colour bark = mix(mix(in.tint.wood, in.tint.pine.dark, 0.35), in.tint.mist, 0.72 * (1 - near));
    double low = foot + dice.between(-8, 8);
    outline(pen, {{x - wide * 0.62, low},
                  {x - wide * 0.42, -10},
                  {x + wide * 0.42, -10},
                  {x + wide * 0.62, low}});
    fill_across(pen, x - wide * 0.6, x + wide * 0.6,
                {{0, lighter(bark, 0.16)}, {0.4, bark}, {1, darker(bark, 0.42)}});
    for (int streak = 0; streak < 5; ++streak) {
      double at = x + dice.between(-0.4, 0.4) * wide;
      double from = dice.between(0, low * 0.8);
      line(pen, {at, from}, {at + dice.between(-2, 2), from + dice.between(60, 220)});
      stroke(pen, darker(bark, 0.35), std::max(0.6, wide * 0.03), 0.4);
    }
  }
}

void bamboo_leaves(cairo_t* pen, chance& dice, point at, double size, colour paint) {
  for (int leaf = 0; leaf < 6; ++leaf) {
    double angle = dice.between(0.1, 3.0);
    double x = std::cos(angle) * size;
    double y = std::sin(angle) * size * 0.8;
    cairo_move_to(pen, at.x, at.y);
    cairo_curve_to(pen, at.x + x * 0.3 - y * 0.12, at.y + y * 0.3 + x * 0.06, at.x + x * 0.7,
                   at.y + y * 0.6, at.x + x, at.y + y);
    cairo_curve_to(pen, at.x + x * 0.5 + y * 0.1, at.y + y * 0.6 - x * 0.05, at.x + x * 0.2,
                   at.y + y * 0.2, at.x, at.y);
  }
  fill(pen, paint, 0.85);
}

void bamboo_stalk(const composition& in, chance& dice, double x, double foot, double wide,
                  double near) {
  cairo_t* pen = in.pen();
  double lean = dice.between(-0.05, 0.05) * foot;
  colour fresh = mix(hex(0x6f9a3f), hex(0x9db84e), dice.unit());
  colour skin = times(fresh, mix(hex(0xffffff), in.tint.wall, 0.8));
  if (in.at_night()) skin = mix(skin, in.tint.lamp, 0.12);
  skin = mix(skin, in.tint.mist, 0.68 * (1 - near));
  outline(pen, {{x - wide / 2, foot},
                {x + lean - wide * 0.4, -10},
                {x + lean + wide * 0.4, -10},
                {x + wide / 2, foot}});
  fill_across(
      pen, x - wide / 2 + std::min(0.0, lean), x + wide / 2 + std::max(0.0, lean),
      {{0, darker(skin, 0.18)}, {0.3, lighter(skin, 0.26)}, {0.6, skin}, {1, darker(skin, 0.42)}});
  double joint = dice.between(40, 70) + 50 * near;
  for (double y = foot - dice.between(10, joint); y > 0; y -= joint * dice.between(0.9, 1.1)) {
    double at = x + lean * (1 - y / foot);
    box(pen, at - wide * 0.54, y, wide * 1.08, std::max(1.2, wide * 0.09));
    fill(pen, darker(skin, 0.45), 0.8);
    box(pen, at - wide * 0.52, y + wide * 0.1, wide * 1.04, std::max(1.2, wide * 0.12));
    fill(pen, lighter(skin, 0.45), 0.55);
  }
}

void brushwood_fence(const composition& in, chance& dice, double side, point far, double near_x) {
  cairo_t* pen = in.pen();
  for (int i = 0; i < 150; ++i) {
    double share = std::pow(i / 149.0, 1.7);
    double x = far.x + side * 26 + side * (near_x - 26) * share;
    double foot = far.y + 8 + (in.height() + 10 - far.y) * share;
    double high = 18 + 128 * share;
    colour twig = mix(in.tint.wood, in.tint.earth, dice.between(0.1, 0.6));
    line(pen, {x, foot}, {x + dice.between(-4, 4) * share, foot - high * dice.between(0.9, 1.05)});
    stroke(pen, mix(twig, in.tint.mist, 0.55 * (1 - share)), 2 + 9 * share);
  }
  for (double level : {0.35, 0.75}) {
    line(pen, {far.x + side * 26, far.y + 8 - 18 * level},
         {far.x + side * near_x, in.height() + 10 - 146 * level});
    stroke(pen, mix(in.tint.earth, in.tint.wood, 0.3), 4.5, 0.8);
  }
}

}  // namespace

void paint_bamboo_scene(const composition& in) {
  chance dice = in.dice("bamboo");
  box(in.pen(), 0, 0, in.width(), in.height());
  colour green = times(hex(0x7fa650), mix(in.tint.wall, hex(0xffffff), 0.3));
  fill_down(in.pen(), 0, in.height(),
            {{0, mix(green, in.tint.sky_top, 0.35)},
             {0.45, mix(green, in.tint.mist, 0.62)},
             {0.66, mix(in.tint.mist, in.tint.halo, 0.4)},
             {1, darker(green, 0.4)}});
  point far{in.focus, in.horizon};
  glow(in.pen(), far.x, far.y - 130, 430, in.tint.disc, 0.85);
  const int layers = 6;
  for (int layer = 0; layer < layers; ++layer) {
    double near = layer / (layers - 1.0);
    // Behind the fence, which runs from the far end of the path to the lower corners.
    double gap = 46 + 400 * near * near;
    for (int i = 0; i < 46 - 6 * layer; ++i) {
      double x = dice.between(-30, in.width() + 30);
      if (std::abs(x - far.x) < gap) continue;
      double foot = far.y + 10 + (in.height() - far.y) * 0.9 * near * near;
      bamboo_stalk(in, dice, x, foot, (6 + 26 * near) * dice.between(0.8, 1.15), near);
    }
    colour leaf = mix(mix(green, hex(0xb9cf6a), 0.3), in.tint.mist, 0.6 * (1 - near));
    for (int i = 0; i < 90; ++i) {
      point at{dice.between(-20, in.width() + 20),
               270 * std::pow(dice.unit(), 1.7) * (1.1 - 0.5 * near)};
      bamboo_leaves(in.pen(), dice, at, 16 + 26 * near,
                    mix(darker(leaf, 0.35), lighter(leaf, 0.15), dice.unit()));
    }
    if (layer == 2) {
      paint_ground(in, far.y + 6, {darker(green, 0.62), darker(green, 0.35), green});
      paint_path(in, {far.x, far.y + 4}, 30, 640,
                 in.in_winter() ? in.tint.leaf.plain : in.tint.sand);
    }
    haze(in.on, far.y - 160, far.y + 60, in.tint.mist, 0.30);
  }
  paint_light_beams(in, in.at_night() ? 0.10 : 0.28);
  brushwood_fence(in, dice, -1, far, 470);
  brushwood_fence(in, dice, 1, far, 470);
}

void paint_moss_scene(const composition& in) {
  chance dice = in.dice("moss");
  paint_sky(in);
  tones moss = in.in_winter()
                   ? in.tint.grass
                   : tones{times(hex(0x35602c), in.tint.wall), times(hex(0x6f9a37), in.tint.wall),
                           times(hex(0xbdd162), in.tint.wall)};
  box(in.pen(), 0, 0, in.width(), in.height());
  fill_down(in.pen(), 0, in.horizon + 40,
            {{0, mix(in.tint.pine.plain, moss.plain, 0.4)},
             {0.6, mix(moss.light, in.tint.mist, 0.45)},
             {1, in.tint.mist}});
  glow(in.pen(), in.focus, in.horizon * 0.55, 520, in.tint.disc, 0.75);
  for (int layer = 0; layer < 3; ++layer) {
    double near = layer / 4.0;
    trunks(in, dice, in.horizon + 14 + 30 * layer, near, 15 - 3 * layer, 40 + 50 * layer);
    for (int i = 0; i < 9; ++i) {
      tones veiled{mix(in.tint.leaf.dark, in.tint.mist, 0.6 - near),
                   mix(in.tint.leaf.plain, in.tint.mist, 0.6 - near),
                   mix(in.tint.leaf.light, in.tint.mist, 0.6 - near)};
      paint_crown(in.pen(), dice, {dice.between(0, in.width()), dice.between(-20, 150)}, 110, 46,
                  veiled);
    }
    haze(in.on, in.horizon - 150, in.horizon + 50, in.tint.mist, 0.35);
  }
  paint_roof(in, {in.focus + in.side() * 40, in.horizon - 40, 210, 110, 84, 24},
             mix(in.tint.wood, in.tint.roof, 0.5));
  paint_wall(in, {in.focus + in.side() * 40, in.horizon - 38, 158, 66, 9}, in.tint.wall,
             in.tint.wood);
  for (int mound = 0; mound < 6; ++mound) {
    double near = mound / 5.0;
    crest top(chance(dice.next()),
              {in.horizon + 40 + 205 * near, 26 + 30 * near, 190 + 160 * near, 0.0});
    top.trace(in, in.height() + 5);
    double y = in.horizon + 10 + 190 * near;
    fill_down(
        in.pen(), y, y + 130,
        {{0, mix(moss.light, in.tint.mist, 0.4 * (1 - near))}, {0.35, moss.plain}, {1, moss.dark}});
    if (mound == 2) trunks(in, dice, y + 46, 0.75, 4, 250);
    if (mound == 3) paint_stone_lantern(in, {in.focus - in.side() * 190, y + 50}, 190);
    for (int i = 0; i < 160; ++i) {
      double x = dice.between(0, in.width());
      double at = top.at(x) + dice.between(2, 60);
      oval(in.pen(), x, at, dice.between(3, 10), dice.between(1.5, 4));
      fill(in.pen(), dice.odds(0.5) ? moss.light : moss.dark, 0.35);
    }
  }
  paint_light_beams(in, 0.26);
  paint_framing_branch(in, in.side());
}

void paint_torii_rows_scene(const composition& in) {
  chance dice = in.dice("rows");
  paint_sky(in);
  box(in.pen(), 0, 0, in.width(), in.height());
  fill_down(in.pen(), 0, in.height(),
            {{0, mix(in.tint.pine.dark, in.tint.sky_top, 0.35)},
             {0.5, mix(in.tint.pine.plain, in.tint.mist, 0.5)},
             {1, in.tint.pine.dark}});
  point far{in.focus, in.horizon + 10};
  glow(in.pen(), far.x, far.y - 20, 420, mix(in.tint.disc, in.tint.lamp, in.tint.lamp_light * 0.6),
       0.9);
  for (int layer = 0; layer < 4; ++layer) {
    double near = 0.15 + layer * 0.22;
    trunks(in, dice, far.y + 30 + 60 * layer, near, 13 - 2 * layer, 60 + 75 * layer);
    for (int i = 0; i < 16; ++i) {
      double x = dice.between(-40, in.width() + 40);
      const tones& base = dice.odds(0.35) ? in.tint.leaf : in.tint.pine;
      double veil = 0.55 * (1 - near);
      paint_crown(in.pen(), dice, {x, dice.between(-30, 210 - 30.0 * layer)}, 96, 52,
                  {mix(base.dark, in.tint.mist, veil), mix(base.plain, in.tint.mist, veil),
                   mix(base.light, in.tint.mist, veil)});
    }
    haze(in.on, far.y - 150, far.y + 90, in.tint.mist, 0.26);
  }
  paint_ground(in, far.y + 34,
               {darker(in.tint.pine.dark, 0.2), in.tint.pine.plain, in.tint.grass.light});
  paint_path(in, {far.x, far.y + 30}, 34, 980, mix(in.tint.stone, in.tint.sand, 0.5));
  const int gates = 17;
  double bend = in.side() * dice.between(50, 90);
  for (int gate = 0; gate < gates; ++gate) {
    double near = gate / (gates - 1.0);
    double wide = 46 * std::pow(1.235, gate);
    double x = far.x + bend * std::sin((1 - near) * 2.4) * (1 - near);
    double y = far.y + 26 + wide * 0.335;
    // Light falls in between the gates, each throws its shadow on the path.
    oval(in.pen(), x, y + wide * 0.01, wide * 0.46, wide * 0.018);
    fill(in.pen(), hex(0x1a0d10), 0.30);
    paint_torii(in, {x, y}, wide, 0.55 * std::pow(1 - near, 1.6));
    if (gate == gates - 6)
      paint_stone_lantern(in, {x - in.side() * wide * 0.66, y + 8}, wide * 0.5);
  }
  if (in.tint.lamp_light > 0.5) shine(in.pen(), far.x, far.y, 340, in.tint.lamp, 0.5);
}

}  // namespace rowrunner::spot_images
