#include <algorithm>
#include <cmath>
#include <numbers>

#include "workloads/spot_images/poster/buildings.hpp"
#include "workloads/spot_images/poster/lane.hpp"
#include "workloads/spot_images/poster/motifs.hpp"

namespace rowrunner::spot_images {
namespace {

constexpr double eaves = 300;

void trace_vault(cairo_t* pen, const lane& of, double depth, bool back) {
  for (int i = 0; i <= 24; ++i) {
    double share = back ? 1 - i / 24.0 : i / 24.0;
    double angle = std::numbers::pi * (1 - share);
    point at = of.at(std::cos(angle) * of.half, eaves + std::sin(angle) * 150, depth);
    cairo_line_to(pen, at.x, at.y);
  }
}

/// The arcade's roof: bands of coloured glass that let the daylight in.
void vault(const composition& in, const lane& of) {
  const colour glass[] = {hex(0xd8432f), hex(0xf0b93a), hex(0x3f8f5e)};
  double depth = 16;
  for (int band = 0; depth > 0.5; ++band) {
    double near = depth / 1.2;
    double veil = std::clamp((depth - 2) / 14, 0.0, 0.75);
    cairo_new_path(in.pen());
    trace_vault(in.pen(), of, depth, false);
    trace_vault(in.pen(), of, near, true);
    cairo_close_path(in.pen());
    colour pane = mix(glass[band % 3], hex(0xfff2d0), in.at_night() ? 0.08 : 0.36);
    pane = in.at_night() ? darker(pane, 0.35) : pane;
    fill(in.pen(), mix(pane, in.tint.disc, veil));
    cairo_new_path(in.pen());
    trace_vault(in.pen(), of, near, false);
    stroke(in.pen(), mix(hex(0x4b3a34), in.tint.disc, veil), 13 / near);
    depth = near;
  }
  for (double share : {0.2, 0.35, 0.5, 0.65, 0.8}) {
    double angle = std::numbers::pi * share;
    double x = std::cos(angle) * of.half;
    double up = eaves + std::sin(angle) * 150;
    line(in.pen(), of.at(x, up, 0.5), of.at(x, up, 14));
  }
  stroke(in.pen(), hex(0x4b3a34), 2.2, 0.45);
}

struct stall {
  const lane& street;
  double side, near, far;

  double x(double out) const { return side * (street.half - out); }
  double veil() const { return std::clamp((near - 2) / 13, 0.0, 0.6); }
};

void panel(const composition& in, const stall& of, double out, double low, double high,
           colour paint, double from = 0, double to = 1) {
  double a = of.near + (of.far - of.near) * from;
  double b = of.near + (of.far - of.near) * to;
  trace_in_lane(
      in.pen(), of.street,
      {{of.x(out), low, a}, {of.x(out), high, a}, {of.x(out), high, b}, {of.x(out), low, b}});
  fill(in.pen(), mix(paint, in.tint.disc, of.veil()));
}

void goods(const composition& in, chance& dice, const stall& of) {
  const colour wares[] = {hex(0xd9472f), hex(0xf2a53a), hex(0x6fa044), hex(0xf3e3b5),
                          hex(0x8e3b63), hex(0xe8785a), hex(0xc9b458)};
  for (int row = 0; row < 3; ++row) {
    double out = 96 - row * 26;
    double up = 66 + row * 15;
    for (int crate = 0; crate < 4; ++crate) {
      colour ware = mix(wares[dice.below(7)], in.tint.disc, of.veil());
      for (int piece = 0; piece < 7; ++piece) {
        double share = 0.06 + crate * 0.235 + piece * 0.029;
        double depth = of.near + (of.far - of.near) * share;
        point at = of.street.at(of.x(out) + dice.between(-5, 5), up + dice.between(-2, 5), depth);
        dot(in.pen(), at.x, at.y, 9.5 / depth);
        fill_blend(in.pen(), {at.x - 8 / depth, at.y - 8 / depth},
                   {at.x + 8 / depth, at.y + 8 / depth},
                   {{0, lighter(ware, 0.32)}, {0.5, ware}, {1, darker(ware, 0.35)}});
      }
    }
  }
}

void shop(const composition& in, chance& dice, const stall& of) {
  const colour cloths[] = {hex(0x27406e), hex(0x8c2a30), hex(0x35583f), hex(0xcf8a2c),
                           hex(0x5b3563)};
  panel(in, of, 0, 0, eaves, darker(hex(0x6b4630), 0.2));
  panel(in, of, 0, 60, 205, mix(hex(0xffdf9a), hex(0x9a5b2c), 0.25), 0.04, 0.96);
  for (double share = 0.1; share < 0.95; share += 0.17)
    panel(in, of, 0, 70, 200, hex(0x6d3f22), share, share + 0.03);
  panel(in, of, 0, 205, 262, darker(hex(0x4b2f22), 0.1));
  panel(in, of, 4, 214, 256, hex(0xf3e8d0), 0.18, 0.82);
  for (double share : {0.27, 0.42, 0.57, 0.72})
    panel(in, of, 5, 224, 246, hex(0x2a2024), share - 0.045, share + 0.035);
  panel(in, of, 108, 0, 62, mix(hex(0x7a5233), in.tint.wood, 0.4));
  trace_in_lane(in.pen(), of.street,
                {{of.x(108), 62, of.near},
                 {of.x(0), 108, of.near},
                 {of.x(0), 108, of.far},
                 {of.x(108), 62, of.far}});
  fill(in.pen(), mix(hex(0xa57a4b), in.tint.disc, of.veil()));
  goods(in, dice, of);
  colour cloth = cloths[dice.below(5)];
  const int stripes = 8;
  bool striped = dice.odds(0.5);
  for (int i = 0; i < stripes; ++i) {
    double a = of.near + (of.far - of.near) * i / stripes;
    double b = of.near + (of.far - of.near) * (i + 1) / stripes;
    trace_in_lane(in.pen(), of.street,
                  {{of.x(0), 214, a},
                   {of.x(110), 178, a},
                   {of.x(110), 162, a},
                   {of.x(110), 162, b},
                   {of.x(110), 178, b},
                   {of.x(0), 214, b}});
    colour own = striped && i % 2 ? hex(0xf4ead6) : lighter(cloth, 0.06 * (i % 2));
    fill(in.pen(), mix(own, in.tint.disc, of.veil()));
  }
  shine(in.pen(), of.street.at(of.x(60), 130, of.near).x, of.street.at(0, 130, of.near).y,
        190 / of.near, in.tint.lamp, 0.30);
}

void shopper(const composition& in, point foot, double high, colour coat) {
  cairo_t* pen = in.pen();
  oval(pen, foot.x, foot.y, high * 0.18, high * 0.03);
  fill(pen, hex(0x1a1010), 0.35);
  for (double leg : {-0.05, 0.05}) {
    box(pen, foot.x + leg * high - high * 0.035, foot.y - high * 0.4, high * 0.07, high * 0.4);
  }
  fill(pen, darker(coat, 0.55));
  cairo_move_to(pen, foot.x - high * 0.12, foot.y - high * 0.34);
  cairo_curve_to(pen, foot.x - high * 0.16, foot.y - high * 0.7, foot.x - high * 0.12,
                 foot.y - high * 0.84, foot.x, foot.y - high * 0.84);
  cairo_curve_to(pen, foot.x + high * 0.12, foot.y - high * 0.84, foot.x + high * 0.16,
                 foot.y - high * 0.7, foot.x + high * 0.12, foot.y - high * 0.34);
  cairo_close_path(pen);
  fill_across(pen, foot.x - high * 0.15, foot.x + high * 0.15,
              {{0, lighter(coat, 0.15)}, {1, darker(coat, 0.4)}});
  dot(pen, foot.x, foot.y - high * 0.92, high * 0.075);
  fill(pen, hex(0x2a1c1c));
}

}  // namespace

void paint_market_scene(const composition& in) {
  chance dice = in.dice("market");
  lane street{{in.focus, in.horizon}, 175, 390};
  box(in.pen(), 0, 0, in.width(), in.height());
  fill_down(in.pen(), 0, in.height(),
            {{0, hex(0x3a2a28)}, {0.5, in.tint.disc}, {1, hex(0x5b463c)}});
  vault(in, street);
  paint_paving(in, street, mix(hex(0xb9a48e), in.tint.stone, 0.3));
  glow(in.pen(), in.focus, in.horizon - 10, 330, in.tint.disc, 0.95);
  double far = 15;
  while (far > 0.32) {
    double near = std::max(0.3, far / 1.36);
    for (double side : {-1.0, 1.0}) {
      stall own{street, side, near, far};
      shop(in, dice, own);
      point lamp = street.at(own.x(128), 232, near * 1.08);
      line(in.pen(), {lamp.x, lamp.y}, street.at(own.x(128), eaves + 40, near * 1.08));
      stroke(in.pen(), hex(0x33241f), 2 / near, 0.7);
      paint_paper_lantern(in, lamp, 36 / near, dice.odds(0.5) ? hex(0xdb4630) : hex(0xf6e3ba));
    }
    if (near < 7 && near > 1.6) {
      const colour coats[] = {hex(0x3c5a7a), hex(0x8a3f3a), hex(0x5d6b45), hex(0xb98a4a),
                              hex(0x473a5c)};
      double across = dice.between(-130, 130);
      shopper(in, street.at(across, 0, near), 165 / near,
              mix(coats[dice.below(5)], in.tint.disc, std::clamp((near - 2) / 13, 0.0, 0.5)));
    }
    far = near;
  }
  shine(in.pen(), in.focus, in.height() - 60, 420, in.tint.lamp, 0.22);
}

}  // namespace rowrunner::spot_images
