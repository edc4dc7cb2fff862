#include "workloads/spot_images/poster/foliage.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace rowrunner::spot_images {
namespace {

void limb(cairo_t* pen, point from, point to, double thick, double bend, colour paint) {
  point middle = between(from, to, 0.5);
  cairo_move_to(pen, from.x, from.y);
  cairo_curve_to(pen, middle.x + bend, from.y + (middle.y - from.y) * 0.6, middle.x + bend,
                 middle.y, to.x, to.y);
  stroke(pen, paint, thick);
}

void snow_cap(cairo_t* pen, double x, double y, double wide, double high, colour paint) {
  cairo_move_to(pen, x - wide, y);
  cairo_curve_to(pen, x - wide * 0.7, y - high, x + wide * 0.6, y - high * 1.1, x + wide, y);
  cairo_curve_to(pen, x + wide * 0.4, y - high * 0.2, x - wide * 0.3, y + high * 0.25, x - wide, y);
  fill(pen, paint, 0.95);
}

void bare_twigs(cairo_t* pen, chance& dice, point from, double angle, double length, double thick,
                int depth, const composition& in) {
  point to{from.x + std::cos(angle) * length, from.y + std::sin(angle) * length};
  line(pen, from, to);
  stroke(pen, darker(in.tint.wood, 0.25), thick);
  if (thick > 1.0) {
    line(pen, {from.x, from.y - thick * 0.45}, {to.x, to.y - thick * 0.45});
    stroke(pen, in.tint.leaf.light, thick * 0.55, 0.9);
  }
  if (depth == 0) return;
  int forks = 2 + (dice.odds(0.45) ? 1 : 0);
  for (int i = 0; i < forks; ++i) {
    double turn = (i - (forks - 1) / 2.0) * dice.between(0.45, 0.75) + dice.between(-0.15, 0.15);
    bare_twigs(pen, dice, to, angle + turn, length * dice.between(0.62, 0.8), thick * 0.62,
               depth - 1, in);
  }
}

}  // namespace

void paint_crown(cairo_t* pen, chance& dice, point at, double wide, double high, const tones& of) {
  struct pass {
    colour paint;
    int count;
    double shift, least, most, reach, alpha;
  };
  const pass passes[] = {
      {mix(of.dark, of.plain, 0.1), 26, 0.16, 0.16, 0.30, 0.82, 1.0},
      {mix(of.dark, of.plain, 0.6), 40, 0.04, 0.09, 0.20, 0.92, 0.92},
      {of.plain, 70, -0.06, 0.05, 0.12, 0.96, 0.9},
      {mix(of.plain, of.light, 0.6), 80, -0.20, 0.03, 0.08, 0.88, 0.85},
      {of.light, 90, -0.32, 0.012, 0.045, 0.80, 0.9},
  };
  // A bush far away needs fewer leaves than a tree nearby to look as dense.
  double share = std::clamp((wide + high) / 105, 0.30, 1.0);
  cairo_set_antialias(pen, CAIRO_ANTIALIAS_FAST);
  for (const pass& one : passes) {
    for (int i = 0; i < one.count * share; ++i) {
      double turn = dice.between(0, 2 * std::numbers::pi);
      double reach = std::sqrt(dice.unit()) * one.reach;
      double x = at.x + std::cos(turn) * reach * wide;
      double y = at.y + (std::sin(turn) * reach + one.shift) * high;
      double radius = dice.between(one.least, one.most) * (wide + high) * (0.42 + 0.08 / share);
      dot(pen, x, y, radius);
    }
    fill(pen, one.paint, one.alpha);
  }
  cairo_set_antialias(pen, CAIRO_ANTIALIAS_DEFAULT);
}

void paint_tree(const composition& in, chance& dice, point foot, double high) {
  cairo_t* pen = in.pen();
  colour bark = darker(in.tint.wood, 0.2);
  double lean = dice.between(-0.12, 0.12) * high;
  if (in.in_winter()) {
    bare_twigs(pen, dice, foot, -std::numbers::pi / 2 + lean / high, high * 0.30, high * 0.045, 5,
               in);
    return;
  }
  point fork{foot.x + lean * 0.4, foot.y - high * 0.42};
  limb(pen, foot, fork, high * 0.055, lean * 0.3, bark);
  for (double reach : {-0.28, -0.08, 0.14, 0.30}) {
    limb(pen, fork, {fork.x + reach * high, fork.y - high * dice.between(0.18, 0.32)}, high * 0.026,
         reach * high * 0.2, bark);
  }
  double wide = high * dice.between(0.34, 0.42);
  paint_crown(pen, dice, {fork.x - wide * 0.55, fork.y - high * 0.10}, wide * 0.66, high * 0.20,
              in.tint.leaf);
  paint_crown(pen, dice, {fork.x + wide * 0.60, fork.y - high * 0.13}, wide * 0.66, high * 0.20,
              in.tint.leaf);
  paint_crown(pen, dice, {fork.x + lean * 0.5, fork.y - high * 0.28}, wide * 0.85, high * 0.26,
              in.tint.leaf);
}

void paint_pine(const composition& in, chance& dice, point foot, double high) {
  cairo_t* pen = in.pen();
  double side = dice.odds(0.5) ? 1 : -1;
  point top{foot.x + side * high * 0.16, foot.y - high};
  cairo_move_to(pen, foot.x, foot.y);
  cairo_curve_to(pen, foot.x - side * high * 0.16, foot.y - high * 0.35,
                 foot.x + side * high * 0.26, foot.y - high * 0.55, top.x, top.y);
  stroke(pen, darker(in.tint.wood, 0.25), high * 0.05);
  struct pad {
    double x, y, wide;
  };
  const pad pads[] = {{-0.30, 0.42, 0.26}, {0.34, 0.52, 0.28},  {-0.20, 0.66, 0.26},
                      {0.30, 0.76, 0.24},  {-0.04, 0.86, 0.22}, {0.15, 1.0, 0.20}};
  for (const pad& one : pads) {
    point at{foot.x + side * one.x * high + dice.between(-0.03, 0.03) * high,
             foot.y - one.y * high};
    limb(pen, {foot.x + side * high * 0.06 * one.y, at.y + high * 0.07}, at, high * 0.02, 0,
         darker(in.tint.wood, 0.25));
    paint_crown(pen, dice, at, one.wide * high, high * 0.075, in.tint.pine);
    if (in.in_winter()) {
      snow_cap(pen, at.x, at.y - high * 0.02, one.wide * high * 0.9, high * 0.075,
               in.tint.leaf.light);
    }
  }
}

void paint_cedar(const composition& in, chance& dice, point foot, double high, double fade) {
  cairo_t* pen = in.pen();
  double wide = high * dice.between(0.12, 0.15);
  auto veil = [&](colour paint) { return mix(paint, in.tint.mist, fade); };
  tones of{veil(in.tint.pine.dark), veil(in.tint.pine.plain), veil(in.tint.pine.light)};
  if (in.in_winter()) of.light = veil(in.tint.leaf.light);
  box(pen, foot.x - high * 0.012, foot.y - high * 0.2, high * 0.024, high * 0.2);
  fill(pen, veil(darker(in.tint.wood, 0.2)));
  const colour passes[] = {darker(of.dark, 0.15), mix(of.dark, of.plain, 0.5), of.plain,
                           mix(of.plain, of.light, in.in_winter() ? 0.9 : 0.45)};
  cairo_set_antialias(pen, CAIRO_ANTIALIAS_FAST);
  for (int pass = 0; pass < 4; ++pass) {
    for (int i = 0; i < 130; ++i) {
      double down = std::pow((i + dice.unit()) / 130, 0.78);
      // Boughs in tiers: the outline steps in and out on its way down.
      double tier = 0.72 + 0.28 * std::fmod(down * 9, 1.0);
      double reach = wide * down * tier * (1 - 0.13 * pass);
      double x = foot.x + dice.between(-1, 1) * reach - wide * 0.06 * pass;
      double y = foot.y - high * (1 - 0.90 * down) - high * 0.006 * pass;
      double size = high * (0.007 + 0.008 * down) * (1 - 0.13 * pass);
      oval(pen, x, y, size * 1.45, size * 0.8);
    }
    fill(pen, passes[pass], pass == 3 ? 0.75 : 1);
  }
  cairo_set_antialias(pen, CAIRO_ANTIALIAS_DEFAULT);
  outline(pen, {{foot.x - high * 0.012, foot.y - high * 0.96},
                {foot.x, foot.y - high * 1.03},
                {foot.x + high * 0.012, foot.y - high * 0.96}});
  fill(pen, of.dark);
}

void paint_woods(const composition& in, chance dice, const crest& above, double bottom, double size,
                 double evergreen, double fade) {
  cairo_t* pen = in.pen();
  auto veil = [&](colour paint) { return mix(paint, in.tint.mist, fade); };
  auto of = [&](const tones& base) {
    return tones{veil(base.dark), veil(base.plain), veil(base.light)};
  };
  tones leaf = of(in.tint.leaf);
  tones pine = of(in.tint.pine);
  if (in.in_winter()) pine.light = mix(pine.light, leaf.light, 0.8);
  above.trace(in, bottom);
  fill(pen, mix(pine.dark, leaf.dark, in.in_winter() ? 0.1 : 0.35));
  cairo_set_antialias(pen, CAIRO_ANTIALIAS_FAST);
  for (double row = 0; row < 1; row += size * 0.55 / std::max(size, bottom - above.at(0))) {
    for (double x = -size; x < in.width() + size; x += size * dice.between(0.6, 1.1)) {
      double top = above.at(x);
      double y = top + (bottom - top) * row + dice.between(-0.3, 0.3) * size;
      bool green = dice.odds(evergreen);
      const tones& own = green ? pine : leaf;
      double radius = size * dice.between(0.34, 0.52);
      double tall = green ? 1.3 : 0.95;
      for (int i = 0; i < 6; ++i) {
        dot(pen, x + dice.between(-0.8, 0.8) * radius, y + dice.between(-0.7, 0.7) * radius * tall,
            radius * dice.between(0.36, 0.6));
      }
      fill(pen, mix(own.dark, own.plain, dice.between(0.1, 0.75)));
      colour lit = mix(own.plain, own.light, dice.between(0.0, 0.7));
      for (int i = 0; i < 6; ++i) {
        dot(pen, x + dice.between(-0.85, 0.55) * radius,
            y + dice.between(-0.95, 0.25) * radius * tall, radius * dice.between(0.12, 0.28));
      }
      fill(pen, lit, 0.8);
    }
  }
  cairo_set_antialias(pen, CAIRO_ANTIALIAS_DEFAULT);
}

void paint_shrubs(const composition& in, chance dice, double from, double to, double y, double size,
                  const tones& of) {
  for (double x = from; x < to; x += size * dice.between(0.7, 1.3)) {
    double own = size * dice.between(0.7, 1.2);
    paint_crown(in.pen(), dice, {x, y - own * 0.25}, own, own * 0.55, of);
  }
}

void paint_grass(const composition& in, chance dice, double from, double to, double y, int count,
                 double high) {
  cairo_t* pen = in.pen();
  for (int i = 0; i < count; ++i) {
    double x = dice.between(from, to);
    double own = high * dice.between(0.5, 1.2);
    double lean = dice.between(-0.35, 0.35) * own;
    double foot = y + dice.between(-4, 10);
    cairo_move_to(pen, x - own * 0.04, foot);
    cairo_curve_to(pen, x, foot - own * 0.5, x + lean * 0.4, foot - own * 0.8, x + lean,
                   foot - own);
    cairo_curve_to(pen, x + lean * 0.5, foot - own * 0.7, x + own * 0.05, foot - own * 0.4,
                   x + own * 0.05, foot);
    fill(pen, mix(in.tint.grass.dark, in.tint.grass.light, dice.between(0, 0.8)));
  }
}

void paint_rock(const composition& in, chance& dice, point at, double wide, double high) {
  cairo_t* pen = in.pen();
  double peak = dice.between(-0.35, 0.35) * wide;
  auto trace = [&] {
    cairo_move_to(pen, at.x - wide, at.y);
    cairo_curve_to(pen, at.x - wide * 0.95, at.y - high * 0.6, at.x + peak - wide * 0.45,
                   at.y - high, at.x + peak, at.y - high);
    cairo_curve_to(pen, at.x + peak + wide * 0.4, at.y - high * 0.95, at.x + wide * 0.9,
                   at.y - high * 0.5, at.x + wide, at.y);
    cairo_curve_to(pen, at.x + wide * 0.5, at.y + high * 0.12, at.x - wide * 0.5,
                   at.y + high * 0.12, at.x - wide, at.y);
  };
  colour base = darker(in.tint.stone, 0.25);
  trace();
  fill_blend(pen, {at.x - wide * 0.6, at.y - high}, {at.x + wide * 0.6, at.y},
             {{0, lighter(base, 0.22)}, {0.5, base}, {1, darker(base, 0.45)}});
  saved_pen kept(pen);
  trace();
  cairo_clip(pen);
  for (int i = 0; i < 7; ++i) {
    double x = at.x + dice.between(-0.8, 0.8) * wide;
    line(pen, {x, at.y - high * dice.between(0.5, 1)},
         {x + dice.between(-0.2, 0.3) * wide, at.y - high * dice.between(0, 0.4)});
    stroke(pen, darker(base, 0.4), 1.6, 0.35);
  }
  if (in.in_winter()) {
    snow_cap(pen, at.x + peak * 0.6, at.y - high * 0.62, wide * 0.8, high * 0.6,
             in.tint.leaf.light);
  }
}

}  // namespace rowrunner::spot_images
