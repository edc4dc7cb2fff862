#include "workloads/spot_images/poster/backdrop.hpp"

#include <cmath>
#include <numbers>

namespace rowrunner::spot_images {

double crest::noise(double x, std::uint64_t octave) const {
  double cell = std::floor(x);
  double within = x - cell;
  auto value = [&](double at) {
    auto slot = static_cast<std::uint64_t>(static_cast<std::int64_t>(at));
    return chance(seed_ ^ (slot * 0x9e3779b97f4a7c15ULL) ^ (octave << 56U)).unit();
  };
  double eased = within * within * (3 - 2 * within);
  return value(cell) + (value(cell + 1) - value(cell)) * eased;
}

double crest::at(double x) const {
  double sum = 0;
  double weight = 1;
  double total = 0;
  double frequency = 1 / shape_.wavelength;
  for (std::uint64_t octave = 0; octave < 6; ++octave) {
    double smooth = noise(x * frequency + 17.0, octave);
    double ridged = 1 - std::abs(2 * smooth - 1);
    sum += weight * (smooth + (ridged - smooth) * shape_.ruggedness);
    total += weight;
    weight *= 0.30 + 0.18 * shape_.ruggedness;
    frequency *= 2.1;
  }
  return shape_.base - shape_.rise * sum / total;
}

void crest::trace(const composition& in, double bottom) const {
  cairo_t* pen = in.pen();
  cairo_move_to(pen, -5, bottom);
  for (double x = -5; x <= in.width() + 5; x += 3) cairo_line_to(pen, x, at(x));
  cairo_line_to(pen, in.width() + 5, bottom);
  cairo_close_path(pen);
}

namespace {

void paint_stars(const composition& in) {
  chance dice = in.dice("stars");
  for (int i = 0; i < 260; ++i) {
    double x = dice.between(0, in.width());
    double y = in.horizon * std::pow(dice.unit(), 1.6);
    double fade = 1 - y / in.horizon;
    double radius = dice.odds(0.06) ? dice.between(1.5, 2.3) : dice.between(0.4, 1.1);
    dot(in.pen(), x, y, radius);
    fill(in.pen(), hex(0xfdf6e6), dice.between(0.25, 0.95) * fade);
    if (radius > 1.9) glow(in.pen(), x, y, 11, hex(0xe6ecff), 0.5 * fade);
  }
}

/// A row of long rounded bars, as the cloud bands of a woodblock print.
void cloud_band(cairo_t* pen, chance& dice, point at, double length, colour paint, double alpha) {
  double thick = dice.between(9, 17);
  for (int bar = 0; bar < 3; ++bar) {
    double own = length * dice.between(0.45, 1.0);
    double x = at.x + dice.between(-0.3, 0.3) * length;
    double y = at.y + bar * thick * 0.92;
    cairo_new_sub_path(pen);
    cairo_arc(pen, x - own / 2, y, thick / 2, std::numbers::pi / 2, std::numbers::pi * 1.5);
    cairo_arc(pen, x + own / 2, y, thick / 2, -std::numbers::pi / 2, std::numbers::pi / 2);
    cairo_close_path(pen);
  }
  fill_across(pen, at.x - length * 0.8, at.x + length * 0.8,
              {{0, paint, 0}, {0.25, paint, alpha}, {0.7, paint, alpha}, {1, paint, 0}});
}

}  // namespace

void paint_sky(const composition& in) {
  box(in.pen(), 0, 0, in.width(), in.height());
  fill_down(in.pen(), 0, in.horizon * 1.05,
            {{0, darker(in.tint.sky_top, 0.10)},
             {0.22, in.tint.sky_top},
             {0.62, in.tint.sky_middle},
             {1, in.tint.sky_low}});
  if (in.at_night()) paint_stars(in);
}

void paint_disc(const composition& in, point at, double radius) {
  bool night = in.at_night();
  glow(in.pen(), at.x, at.y, radius * 8.5, in.tint.halo, night ? 0.34 : 0.55);
  glow(in.pen(), at.x, at.y, radius * 3.2, in.tint.halo, night ? 0.42 : 0.75);
  dot(in.pen(), at.x, at.y, radius);
  fill(in.pen(), in.tint.disc, 0.97);
  if (!night) return;
  chance dice = in.dice("moon");
  saved_pen kept(in.pen());
  dot(in.pen(), at.x, at.y, radius);
  cairo_clip(in.pen());
  for (int sea = 0; sea < 7; ++sea) {
    glow(in.pen(), at.x + dice.between(-0.6, 0.6) * radius, at.y + dice.between(-0.6, 0.6) * radius,
         radius * dice.between(0.25, 0.6), mix(in.tint.sky_middle, hex(0x8a8470), 0.6), 0.35);
  }
}

void paint_mist_bands(const composition& in, double top, double bottom, int count) {
  chance dice = in.dice("bands");
  for (int i = 0; i < count; ++i) {
    point at{dice.between(0, in.width()), dice.between(top, bottom)};
    cloud_band(in.pen(), dice, at, dice.between(220, 520), in.tint.mist,
               dice.between(0.22, 0.5) * (in.at_night() ? 0.5 : 1));
  }
}

void paint_ranges(const composition& in, int count, double rise) {
  chance dice = in.dice("ranges");
  for (int i = 0; i < count; ++i) {
    double near = (i + 1.0) / count;
    double base = in.horizon - 26 + 26 * near;
    double high = rise * (1.75 - 1.15 * near) * dice.between(0.85, 1.1);
    crest line_of(chance(dice.next()),
                  {base, high, dice.between(330, 460) * (1.1 - 0.35 * near), 0.85 - 0.5 * near});
    colour top = mix(in.tint.far, in.tint.near, 0.06 + 0.60 * near * near);
    if (in.in_winter()) top = mix(top, in.tint.grass.light, 0.30);
    line_of.trace(in, in.horizon + 60);
    fill_down(in.pen(), base - high * 0.85, in.horizon + 25,
              {{0, top}, {0.4, mix(top, in.tint.mist, 0.22)}, {1, mix(top, in.tint.mist, 0.92)}});
    if (i + 1 < count) haze(in.on, base - high * 0.45, base + 30, in.tint.mist, 0.42);
  }
}

void paint_light_beams(const composition& in, double alpha) {
  chance dice = in.dice("beams");
  saved_pen kept(in.pen());
  cairo_set_operator(in.pen(), CAIRO_OPERATOR_SCREEN);
  double from = in.width() * (in.side() < 0 ? 0.85 : 0.15);
  for (int i = 0; i < 7; ++i) {
    double spread = in.side() * dice.between(100, 900);
    double wide = dice.between(30, 110);
    double start = from + in.side() * dice.between(-160, 200);
    outline(in.pen(), {{start, -20},
                       {start + wide * 0.4, -20},
                       {start + spread + wide, in.height()},
                       {start + spread - wide, in.height()}});
    colour light = mix(in.tint.halo, in.tint.sky_low, 0.4);
    fill_down(in.pen(), 0, in.height() * 0.95,
              {{0, light, alpha * dice.between(0.5, 1)}, {1, light, 0}});
  }
}

}  // namespace rowrunner::spot_images
