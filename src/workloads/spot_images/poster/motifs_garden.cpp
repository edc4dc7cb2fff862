#include <algorithm>
#include <cmath>

#include "workloads/spot_images/poster/backdrop.hpp"
#include "workloads/spot_images/poster/buildings.hpp"
#include "workloads/spot_images/poster/foliage.hpp"
#include "workloads/spot_images/poster/motifs.hpp"

namespace rowrunner::spot_images {
namespace {

struct stone_group {
  point at;
  double size;
};

void raked_lines(const composition& in, double top, double bottom, colour gravel) {
  cairo_t* pen = in.pen();
  for (double y = top + 4, gap = 3.2; y < bottom; y += gap, gap *= 1.045) {
    line(pen, {-5, y}, {in.width() + 5, y});
    stroke(pen, darker(gravel, 0.26), gap * 0.30, 0.6);
    line(pen, {-5, y + gap * 0.34}, {in.width() + 5, y + gap * 0.34});
    stroke(pen, lighter(gravel, 0.6), gap * 0.22, 0.6);
  }
}

/// Rings raked around stones: they interrupt the straight lines beneath.
void raked_rings(const composition& in, const stone_group& of, colour gravel) {
  cairo_t* pen = in.pen();
  oval(pen, of.at.x, of.at.y, of.size * 2.15, of.size * 0.68);
  fill(pen, gravel);
  for (double ring = 2.1; ring > 1.15; ring -= 0.19) {
    oval(pen, of.at.x, of.at.y, of.size * ring, of.size * ring * 0.315);
    stroke(pen, darker(gravel, 0.26), 2.1, 0.65);
    oval(pen, of.at.x, of.at.y + 2, of.size * (ring - 0.03), of.size * ring * 0.31);
    stroke(pen, lighter(gravel, 0.6), 1.6, 0.6);
  }
}

void stones_on_moss(const composition& in, chance& dice, const stone_group& of) {
  tones moss = in.in_winter()
                   ? in.tint.grass
                   : tones{times(hex(0x2f5a2a), in.tint.wall), times(hex(0x5d8a35), in.tint.wall),
                           times(hex(0xa9c257), in.tint.wall)};
  oval(in.pen(), of.at.x, of.at.y + 3, of.size * 1.12, of.size * 0.34);
  fill(in.pen(), darker(moss.dark, 0.2));
  oval(in.pen(), of.at.x, of.at.y, of.size * 1.1, of.size * 0.32);
  fill_down(in.pen(), of.at.y - of.size * 0.3, of.at.y + of.size * 0.3,
            {{0, moss.light}, {0.5, moss.plain}, {1, moss.dark}});
  paint_rock(in, dice, {of.at.x - of.size * 0.1, of.at.y}, of.size * 0.5,
             of.size * dice.between(0.75, 1.1));
  paint_rock(in, dice, {of.at.x + of.size * 0.5, of.at.y + of.size * 0.08}, of.size * 0.36,
             of.size * 0.42);
  paint_rock(in, dice, {of.at.x - of.size * 0.62, of.at.y + of.size * 0.12}, of.size * 0.28,
             of.size * 0.28);
}

void clay_wall(const composition& in, double y) {
  cairo_t* pen = in.pen();
  colour clay = mix(in.tint.earth, in.tint.wood, 0.18);
  box(pen, -5, y - 76, in.width() + 10, 80);
  fill_down(pen, y - 76, y, {{0, darker(clay, 0.32)}, {0.3, clay}, {1, darker(clay, 0.18)}});
  chance dice = in.dice("clay");
  for (int i = 0; i < 40; ++i) {
    glow(pen, dice.between(0, in.width()), dice.between(y - 60, y), dice.between(20, 60),
         dice.odds(0.5) ? darker(clay, 0.4) : lighter(clay, 0.3), 0.22);
  }
  box(pen, -5, y - 96, in.width() + 10, 24);
  fill_down(pen, y - 96, y - 72,
            {{0, lighter(in.tint.roof, 0.2)}, {1, darker(in.tint.roof, 0.35)}});
  for (double x = 0; x < in.width(); x += 11) box(pen, x, y - 94, 2, 22);
  fill(pen, darker(in.tint.roof, 0.5), 0.6);
  box(pen, -5, y - 101, in.width() + 10, in.in_winter() ? 13 : 6);
  fill(pen, in.in_winter() ? in.tint.leaf.light : darker(in.tint.roof, 0.3));
  box(pen, -5, y - 2, in.width() + 10, 8);
  fill(pen, darker(in.tint.stone, 0.3));
}

void veranda(const composition& in, double top) {
  cairo_t* pen = in.pen();
  colour plank = mix(in.tint.wood, in.tint.earth, 0.42);
  box(pen, -5, top, in.width() + 10, in.height() - top + 5);
  fill_down(pen, top, in.height(),
            {{0, lighter(plank, 0.22)}, {0.25, plank}, {1, darker(plank, 0.35)}});
  for (double x = -3; x <= 3; x += 0.22) {
    line(pen, {in.focus + x * 420, top}, {in.focus + x * 640, in.height() + 5});
  }
  stroke(pen, darker(plank, 0.55), 1.8, 0.6);
  box(pen, -5, top - 3, in.width() + 10, 5);
  fill(pen, lighter(plank, 0.42));
  box(pen, -5, top - 12, in.width() + 10, 10);
  fill(pen, hex(0x140d10), 0.3);
}

}  // namespace

void paint_garden_scene(const composition& in) {
  chance dice = in.dice("garden");
  paint_open_air(in, 3, 240);
  crest hill(in.dice("hill"), {in.horizon - 20, 120, 420, 0.1});
  paint_woods(in, in.dice("hill woods"), hill, in.horizon + 30, 30, 0.5, 0.26);
  haze(in.on, in.horizon - 130, in.horizon + 10, in.tint.mist, 0.5);
  for (double x = -30; x < in.width() + 40; x += dice.between(90, 170)) {
    dice.odds(0.68) ? paint_tree(in, dice, {x, in.horizon + 30}, dice.between(190, 290))
                    : paint_pine(in, dice, {x, in.horizon + 20}, dice.between(190, 260));
  }
  double wall = in.horizon + 62;
  clay_wall(in, wall);
  colour gravel = in.in_winter() ? in.tint.grass.light : in.tint.sand;
  double edge = in.height() - 62;
  box(in.pen(), -5, wall + 5, in.width() + 10, edge - wall);
  fill_down(in.pen(), wall, edge,
            {{0, darker(gravel, 0.16)}, {0.2, gravel}, {1, lighter(gravel, 0.12)}});
  raked_lines(in, wall + 4, edge, gravel);
  double side = in.side();
  const stone_group groups[] = {
      {{in.focus + side * 230, wall + 56}, 58},
      {{in.focus - side * 300, wall + 70}, 52},
      {{in.focus - side * 50, wall + 116}, 96},
      {{in.focus + side * 290, wall + 192}, 78},
  };
  for (const stone_group& group : groups) raked_rings(in, group, gravel);
  for (const stone_group& group : groups) stones_on_moss(in, dice, group);
  veranda(in, edge);
  paint_framing_branch(in, side);
}

}  // namespace rowrunner::spot_images
