#include "workloads/spot_images/poster/motifs.hpp"

#include <array>
#include <cmath>

#include "workloads/spot_images/poster/backdrop.hpp"
#include "workloads/spot_images/poster/foliage.hpp"

namespace rowrunner::spot_images {
namespace {

struct plan {
  motif subject;
  double horizon;
  void (*paint)(const composition&);
};

constexpr std::array<plan, 19> plans{{
    {motif::hills, 0.60, paint_hills_scene},
    {motif::pagoda, 0.70, paint_pagoda_scene},
    {motif::church, 0.70, paint_church_scene},
    {motif::stage, 0.66, paint_stage_scene},
    {motif::torii, 0.66, paint_torii_scene},
    {motif::torii_rows, 0.50, paint_torii_rows_scene},
    {motif::bamboo, 0.62, paint_bamboo_scene},
    {motif::river, 0.60, paint_river_scene},
    {motif::castle, 0.68, paint_castle_scene},
    {motif::pavilion, 0.58, paint_pavilion_scene},
    {motif::silver_pavilion, 0.58, paint_pavilion_scene},
    {motif::garden, 0.52, paint_garden_scene},
    {motif::moss, 0.58, paint_moss_scene},
    {motif::market, 0.56, paint_market_scene},
    {motif::mountain, 0.66, paint_mountain_scene},
    {motif::sea, 0.55, paint_sea_scene},
    {motif::tower, 0.72, paint_tower_scene},
    {motif::street, 0.60, paint_street_scene},
    {motif::skyline, 0.68, paint_skyline_scene},
}};

const plan& plan_of(motif subject) {
  for (const plan& one : plans)
    if (one.subject == subject) return one;
  return plans.front();
}

}  // namespace

double horizon_share(motif subject) { return plan_of(subject).horizon; }

void paint_motif(const composition& in) { plan_of(in.what.motif).paint(in); }

point disc_place(const composition& in) {
  chance dice = in.dice("disc");
  bool low = in.what.daytime == daytime::dawn || in.what.daytime == daytime::dusk;
  double x = in.focus - in.side() * dice.between(150, 270);
  return {x, in.horizon * (low ? dice.between(0.36, 0.50) : dice.between(0.22, 0.36))};
}

void paint_open_air(const composition& in, int ranges, double rise) {
  chance dice = in.dice("open air");
  paint_sky(in);
  paint_disc(in, disc_place(in), in.at_night() ? dice.between(36, 46) : dice.between(48, 66));
  paint_mist_bands(in, in.horizon * 0.14, in.horizon * 0.5, 4);
  paint_ranges(in, ranges, rise);
}

void paint_ground(const composition& in, double top, const tones& of) {
  cairo_t* pen = in.pen();
  box(pen, 0, top, in.width(), in.height() - top);
  fill_down(pen, top, in.height(),
            {{0, mix(of.light, in.tint.mist, 0.45)},
             {0.25, of.plain},
             {1, darker(mix(of.plain, of.dark, 0.8), 0.15)}});
  chance dice = in.dice("ground");
  for (int i = 0; i < 420; ++i) {
    double near = std::pow(dice.unit(), 1.3);
    double x = dice.between(0, in.width());
    double y = top + 6 + (in.height() - top) * near;
    oval(pen, x, y, (6 + 34 * near) * dice.between(0.4, 1.3), 0.8 + 3.2 * near);
    fill(pen, dice.odds(0.5) ? of.light : of.dark, dice.between(0.05, 0.2));
  }
}

void paint_path(const composition& in, point far, double far_wide, double near_wide, colour paint) {
  cairo_t* pen = in.pen();
  double deep = in.height() + 10 - far.y;
  double shift = -in.side() * 34;
  // Straight edges in perspective, with a slight swing of the whole path.
  auto trace = [&] {
    for (int i = -24; i <= 24; ++i) {
      double share = 1 - std::abs(i) / 24.0;
      double down = 1 - share;
      double half = far_wide / 2 + (near_wide - far_wide) / 2 * down;
      double swing = shift * down * down + in.side() * 14 * std::sin(down * 3.14);
      cairo_line_to(pen, far.x + swing + (i < 0 ? -half : half), far.y + deep * down);
    }
    cairo_close_path(pen);
  };
  trace();
  fill_down(pen, far.y, in.height(),
            {{0, mix(paint, in.tint.mist, 0.45)}, {0.4, paint}, {1, darker(paint, 0.20)}});
  saved_pen kept(pen);
  trace();
  cairo_clip(pen);
  chance dice = in.dice("path");
  for (int i = 0; i < 260; ++i) {
    double near = dice.unit();
    double x = far.x + shift * near + dice.between(-0.5, 0.5) * (far_wide + near_wide * near);
    oval(pen, x, far.y + deep * near, 2 + 16 * near * dice.unit(), 0.6 + 2.6 * near);
    fill(pen, dice.odds(0.4) ? lighter(paint, 0.5) : darker(paint, 0.45), dice.between(0.05, 0.18));
  }
}

}  // namespace rowrunner::spot_images
