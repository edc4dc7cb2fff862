#include <algorithm>
#include <cmath>
#include <numbers>

#include "workloads/spot_images/poster/backdrop.hpp"
#include "workloads/spot_images/poster/buildings.hpp"
#include "workloads/spot_images/poster/foliage.hpp"
#include "workloads/spot_images/poster/motifs.hpp"
#include "workloads/spot_images/poster/water.hpp"

namespace rowrunner::spot_images {
namespace {

/// The line of a bridge's deck, which rises by `arch` in the middle.
struct deck_line {
  double left, right, y, arch;

  double at(double x) const {
    double share = (x - left) / (right - left) * 2 - 1;
    return y - arch * (1 - share * share);
  }
};

void trace_deck(cairo_t* pen, const deck_line& of, double above, double below) {
  for (double x = of.left; x <= of.right; x += 8) cairo_line_to(pen, x, of.at(x) - above);
  for (double x = of.right; x >= of.left; x -= 8) cairo_line_to(pen, x, of.at(x) + below);
  cairo_close_path(pen);
}

void wooden_bridge(const composition& in, const deck_line& of, double water, colour paint) {
  cairo_t* pen = in.pen();
  colour pier = darker(mix(in.tint.wood, paint, 0.25), 0.1);
  double gap = (of.right - of.left) / 15;
  for (double x = of.left + gap / 2; x < of.right; x += gap) {
    for (double leg : {-9.0, 9.0}) {
      outline(pen, {{x + leg - 4, of.at(x)},
                    {x + leg + 4, of.at(x)},
                    {x + leg * 1.35 + 5, water + 4},
                    {x + leg * 1.35 - 5, water + 4}});
      fill_across(pen, x + leg - 5, x + leg + 5,
                  {{0, lighter(pier, 0.18)}, {1, darker(pier, 0.4)}});
    }
    double middle = of.at(x) + (water - of.at(x)) * 0.45;
    box(pen, x - 17, middle, 34, 5);
    fill(pen, darker(pier, 0.2));
  }
  trace_deck(pen, of, 7, 10);
  fill(pen, darker(paint, 0.30));
  trace_deck(pen, of, 9, -3);
  fill(pen, in.in_winter() ? in.tint.leaf.light : lighter(paint, 0.16));
  for (double x = of.left; x <= of.right; x += 26) {
    box(pen, x - 2.4, of.at(x) - 36, 4.8, 30);
    fill_across(pen, x - 2.4, x + 2.4, {{0, lighter(paint, 0.15)}, {1, darker(paint, 0.3)}});
  }
  deck_line rail = of;
  for (double up : {34.0, 20.0}) {
    trace_deck(pen, rail, up, -up + (up > 30 ? 4.5 : 3));
    fill(pen, up > 30 ? lighter(paint, 0.12) : darker(paint, 0.08));
  }
}

void stone_bridge(const composition& in, const deck_line& of, double water) {
  cairo_t* pen = in.pen();
  colour stone = mix(in.tint.stone, in.tint.earth, 0.35);
  {
    saved_pen kept(pen);
    cairo_set_fill_rule(pen, CAIRO_FILL_RULE_EVEN_ODD);
    for (double x = of.left; x <= of.right; x += 8) cairo_line_to(pen, x, of.at(x) - 16);
    cairo_line_to(pen, of.right, water + 2);
    cairo_line_to(pen, of.left, water + 2);
    cairo_close_path(pen);
    double span = (of.right - of.left) / 7;
    for (double x = of.left + span / 2; x < of.right; x += span) {
      oval(pen, x, water + 2, span * 0.41, water - of.at(x) - 12);
    }
    fill_down(pen, of.y - of.arch - 20, water,
              {{0, lighter(stone, 0.2)}, {0.5, stone}, {1, darker(stone, 0.38)}});
  }
  trace_deck(pen, of, 20, -12);
  fill(pen, lighter(stone, in.in_winter() ? 0.8 : 0.3));
}

/// Two towers with a walkway between them.
void gate_towers(const composition& in, const deck_line& of, double water) {
  cairo_t* pen = in.pen();
  colour stone = mix(in.tint.stone, in.tint.earth, 0.3);
  double apart = 165;
  for (double up : {232.0, 206.0}) {
    box(pen, in.focus - apart, of.y - up, apart * 2, 9);
    fill(pen, mix(in.tint.sky_top, in.tint.stone, 0.5));
  }
  for (double side : {-1.0, 1.0}) {
    double x = in.focus + side * apart;
    box(pen, x - 46, of.y - 250, 92, water - of.y + 250);
    fill_across(pen, x - 46, x + 46,
                {{0, lighter(stone, 0.2)}, {0.5, stone}, {1, darker(stone, 0.4)}});
    box(pen, x - 54, water - 34, 108, 38);
    fill_across(pen, x - 54, x + 54, {{0, stone}, {1, darker(stone, 0.45)}});
    for (int row = 0; row < 4; ++row) {
      for (double at : {-20.0, 0.0, 20.0}) {
        box(pen, x + at - 5, of.y - 232 + row * 44, 10, 26);
        cairo_new_sub_path(pen);
        cairo_arc(pen, x + at, of.y - 232 + row * 44, 5, std::numbers::pi, 0);
      }
      fill(pen, mix(darker(stone, 0.6), in.tint.lamp, in.tint.lamp_light * 0.9));
      box(pen, x - 48, of.y - 200 + row * 44, 96, 4);
      fill(pen, lighter(stone, 0.25));
    }
    outline(pen, {{x - 48, of.y - 250}, {x, of.y - 340}, {x + 48, of.y - 250}});
    fill_across(pen, x - 48, x + 48,
                {{0, lighter(in.tint.roof, 0.15)}, {1, darker(in.tint.roof, 0.35)}});
    for (double turret : {-46.0, 46.0}) {
      box(pen, x + turret - 8, of.y - 275, 16, 80);
      fill(pen, darker(stone, 0.08));
      outline(
          pen,
          {{x + turret - 10, of.y - 275}, {x + turret, of.y - 318}, {x + turret + 10, of.y - 275}});
      fill(pen, darker(in.tint.roof, 0.12));
    }
  }
}

}  // namespace

void paint_river_scene(const composition& in) {
  chance dice = in.dice("river");
  paint_open_air(in, 3, 250);
  crest hill(in.dice("hill"), {in.horizon - 20, 215, 520, 0.12});
  paint_woods(in, in.dice("hill woods"), hill, in.horizon + 30, 24, in.in_winter() ? 0.55 : 0.42,
              0.24);
  haze(in.on, in.horizon - 110, in.horizon + 30, in.tint.mist, 0.55);
  double water = in.horizon + 66;
  box(in.pen(), 0, in.horizon + 22, in.width(), 50);
  fill_down(in.pen(), in.horizon + 22, water,
            {{0, mix(in.tint.grass.plain, in.tint.mist, 0.35)}, {1, in.tint.grass.dark}});
  paint_shrubs(in, in.dice("bank"), -20, in.width() + 20, in.horizon + 34, 26, in.tint.leaf);
  deck_line deck{-30, in.width() + 30, in.horizon + (in.what.western ? -24 : 16),
                 in.what.western ? 10 : dice.between(24, 44)};
  if (in.what.western) {
    stone_bridge(in, deck, water);
    if (dice.odds(0.4)) gate_towers(in, deck, water);
  } else {
    wooden_bridge(in, deck, water,
                  dice.odds(0.3) ? in.tint.vermilion : lighter(in.tint.wood, 0.22));
  }
  paint_water(in, water, 0.72);
  paint_glints(in, water, disc_place(in).x);
  for (int i = 0; i < 7; ++i) {
    double x = in.focus + in.side() * dice.between(120, 480);
    paint_rock(in, dice, {x, in.height() - dice.between(6, 70)}, dice.between(24, 52),
               dice.between(18, 36));
  }
  paint_grass(in, in.dice("reed"), -10, in.width() + 10, in.height() + 8, 300, 62);
  paint_framing_branch(in, in.side());
}

}  // namespace rowrunner::spot_images
