#include <cmath>
#include <numbers>
#include <vector>

#include "workloads/spot_images/poster/foliage.hpp"

namespace rowrunner::spot_images {
namespace {

constexpr double full_turn = 2 * std::numbers::pi;

void blossom(cairo_t* pen, point at, double size, double turn, const tones& of, double tilt) {
  saved_pen kept(pen);
  cairo_translate(pen, at.x, at.y);
  cairo_scale(pen, 1, tilt);
  cairo_rotate(pen, turn);
  for (int petal = 0; petal < 5; ++petal) {
    cairo_rotate(pen, full_turn / 5);
    cairo_move_to(pen, 0, 0);
    cairo_curve_to(pen, size * 0.62, -size * 0.3, size * 0.55, -size * 1.0, size * 0.12, -size);
    cairo_line_to(pen, 0, -size * 0.86);
    cairo_line_to(pen, -size * 0.12, -size);
    cairo_curve_to(pen, -size * 0.55, -size * 1.0, -size * 0.62, -size * 0.3, 0, 0);
    fill_down(pen, 0, -size, {{0, of.plain}, {0.45, of.light}, {1, lighter(of.light, 0.4)}});
  }
  dot(pen, 0, 0, size * 0.16);
  fill(pen, of.dark);
}

void maple_leaf(cairo_t* pen, point at, double size, double turn, colour paint, double squash) {
  saved_pen kept(pen);
  cairo_translate(pen, at.x, at.y);
  cairo_rotate(pen, turn);
  cairo_scale(pen, squash, 1);
  constexpr int lobes = 7;
  cairo_move_to(pen, 0, size * 0.12);
  for (int lobe = 0; lobe < lobes; ++lobe) {
    double angle = (lobe - 3) * 0.62;
    double reach = size * (1 - 0.10 * std::abs(lobe - 3));
    double notch = angle + 0.31;
    cairo_line_to(pen, std::sin(angle - 0.13) * reach * 0.6, -std::cos(angle - 0.13) * reach * 0.6);
    cairo_line_to(pen, std::sin(angle) * reach, -std::cos(angle) * reach);
    cairo_line_to(pen, std::sin(angle + 0.13) * reach * 0.6, -std::cos(angle + 0.13) * reach * 0.6);
    cairo_line_to(pen, std::sin(notch) * size * 0.26, -std::cos(notch) * size * 0.26);
  }
  cairo_close_path(pen);
  fill(pen, paint);
  line(pen, {0, 0}, {size * 0.06, size * 0.5});
  stroke(pen, darker(paint, 0.25), size * 0.05);
}

void camellia(cairo_t* pen, chance& dice, point at, double size, const composition& in) {
  for (int leaf = 0; leaf < 3; ++leaf) {
    saved_pen kept(pen);
    cairo_translate(pen, at.x, at.y);
    cairo_rotate(pen, dice.between(0, full_turn));
    cairo_move_to(pen, 0, 0);
    cairo_curve_to(pen, size * 0.7, -size * 0.8, size * 1.5, -size * 0.5, size * 2.0, 0);
    cairo_curve_to(pen, size * 1.4, size * 0.5, size * 0.6, size * 0.5, 0, 0);
    fill(pen, mix(in.tint.pine.dark, in.tint.pine.light, dice.between(0, 0.6)));
  }
  if (!dice.odds(0.4)) return;
  colour red = mix(in.tint.vermilion, hex(0xa81f3d), 0.6);
  for (int petal = 0; petal < 6; ++petal) {
    double angle = petal * full_turn / 6 + dice.between(-0.1, 0.1);
    dot(pen, at.x + std::cos(angle) * size * 0.62, at.y + std::sin(angle) * size * 0.55,
        size * 0.55);
    fill(pen, mix(red, lighter(red, 0.25), dice.unit()));
  }
  dot(pen, at.x, at.y, size * 0.3);
  fill(pen, in.tint.gold);
  oval(pen, at.x - size * 0.1, at.y - size * 0.85, size * 0.95, size * 0.36);
  fill(pen, in.tint.leaf.light, 0.95);
}

/// What grows at the end of a twig.
void sprig(const composition& in, chance& dice, point at, double size) {
  cairo_t* pen = in.pen();
  double turn = dice.between(0, full_turn);
  colour leaf = mix(in.tint.leaf.dark, in.tint.leaf.light, dice.between(0.15, 0.9));
  switch (in.what.season) {
    case season::spring:
      blossom(pen, at, size * dice.between(0.75, 1.1), turn, in.tint.leaf, dice.between(0.65, 1));
      break;
    case season::summer:
      maple_leaf(pen, at, size * 1.25, turn, leaf, dice.between(0.7, 1));
      break;
    case season::autumn:
      maple_leaf(pen, at, size * 1.3, turn, leaf, dice.between(0.7, 1));
      break;
    case season::winter:
      camellia(pen, dice, at, size * 0.95, in);
      break;
  }
}

struct twig {
  point from;
  double angle, length, thick;
  int depth;
};

/// Draws the wood and collects where the sprigs go: they are painted over all of it.
void grow(const composition& in, chance& dice, const twig& of, std::vector<point>& ends) {
  cairo_t* pen = in.pen();
  double bend = dice.between(-0.25, 0.25);
  point to{of.from.x + std::cos(of.angle + bend) * of.length,
           of.from.y + std::sin(of.angle + bend) * of.length};
  point middle{of.from.x + std::cos(of.angle) * of.length * 0.5,
               of.from.y + std::sin(of.angle) * of.length * 0.5};
  cairo_move_to(pen, of.from.x, of.from.y);
  cairo_curve_to(pen, middle.x, middle.y, middle.x, middle.y, to.x, to.y);
  stroke(pen, darker(in.tint.wood, 0.35), of.thick);
  if (in.in_winter()) {
    double up = of.thick * 0.5;
    cairo_move_to(pen, of.from.x, of.from.y - up);
    cairo_curve_to(pen, middle.x, middle.y - up, middle.x, middle.y - up, to.x, to.y - up);
    stroke(pen, in.tint.leaf.light, of.thick * 0.75 + 1, 0.95);
  }
  if (of.depth <= 2) {
    for (double share : {0.35, 0.7, 1.0}) {
      point on = between(of.from, to, share);
      ends.push_back({on.x + dice.between(-12, 12), on.y + dice.between(-12, 12)});
    }
  }
  if (of.depth == 0) return;
  grow(in, dice,
       {to, of.angle + dice.between(-0.2, 0.25), of.length * 0.8, of.thick * 0.7, of.depth - 1},
       ends);
  double fork = (dice.odds(0.5) ? 1 : -1) * dice.between(0.5, 0.9);
  grow(in, dice,
       {between(of.from, to, dice.between(0.4, 0.9)), of.angle + fork, of.length * 0.62,
        of.thick * 0.5, of.depth - 1},
       ends);
}

void petal(cairo_t* pen, point at, double size, double turn, colour paint, double alpha) {
  saved_pen kept(pen);
  cairo_translate(pen, at.x, at.y);
  cairo_rotate(pen, turn);
  cairo_move_to(pen, 0, size);
  cairo_curve_to(pen, size * 0.8, size * 0.2, size * 0.6, -size, 0, -size * 0.7);
  cairo_curve_to(pen, -size * 0.6, -size, -size * 0.8, size * 0.2, 0, size);
  fill(pen, paint, alpha);
}

void falling_one(const composition& in, chance& dice, point at, double near) {
  cairo_t* pen = in.pen();
  double turn = dice.between(0, full_turn);
  switch (in.what.season) {
    case season::spring:
      petal(pen, at, 2.5 + 6 * near, turn,
            mix(in.tint.petal, in.tint.leaf.plain, dice.unit() * 0.5), 0.65 + 0.3 * near);
      break;
    case season::autumn:
      maple_leaf(pen, at, 4 + 11 * near, turn,
                 mix(in.tint.leaf.dark, in.tint.leaf.light, dice.unit()), dice.between(0.35, 1));
      break;
    case season::winter:
      glow(pen, at.x, at.y, 2.5 + 9 * near * near, hex(0xffffff), 0.95);
      dot(pen, at.x, at.y, 0.9 + 2.2 * near);
      fill(pen, hex(0xffffff), 0.85);
      break;
    case season::summer:
      if (!in.at_night() || in.what.motif == motif::street) return;
      shine(pen, at.x, at.y, 7 + 13 * near, in.tint.petal, 0.8);
      dot(pen, at.x, at.y, 1.1 + near);
      fill(pen, hex(0xfbffd8), 0.95);
      break;
  }
}

}  // namespace

void paint_framing_branch(const composition& in, double corner) {
  chance dice = in.dice("branch");
  std::vector<point> ends;
  double x = corner < 0 ? -20 : in.width() + 20;
  double heading =
      corner < 0 ? dice.between(0.12, 0.32) : std::numbers::pi - dice.between(0.12, 0.32);
  grow(in, dice, {{x, dice.between(10, 60)}, heading, dice.between(120, 150), 11, 4}, ends);
  double upper = corner < 0 ? dice.between(0.5, 0.75) : std::numbers::pi - dice.between(0.5, 0.75);
  grow(in, dice, {{x, dice.between(70, 120)}, upper, 85, 7, 3}, ends);
  for (const point& end : ends) {
    int count = in.what.season == season::winter ? 1 : 3;
    for (int i = 0; i < count; ++i) {
      point at{end.x + dice.between(-19, 19), end.y + dice.between(-17, 17)};
      sprig(in, dice, at, dice.between(9, 14));
    }
  }
}

void paint_falling(const composition& in, int count) {
  chance dice = in.dice("falling");
  bool fireflies = in.what.season == season::summer;
  if (in.in_winter()) count = count * 5 / 2;
  for (int i = 0; i < count; ++i) {
    double near = std::pow(dice.unit(), 2.2);
    double top = fireflies ? in.horizon * 0.8 : 0;
    falling_one(in, dice, {dice.between(0, in.width()), dice.between(top, in.height())}, near);
  }
}

}  // namespace rowrunner::spot_images
