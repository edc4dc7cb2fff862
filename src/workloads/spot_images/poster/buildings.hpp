#pragma once

#include "workloads/spot_images/poster/composition.hpp"

namespace rowrunner::spot_images {

/// A temple roof seen from the front: a ridge, concave slopes, eaves that turn up at the tips.
struct roof_shape {
  double x;      // the middle
  double eaves;  // the height of the eaves, on the canvas
  double half;   // half the width of the eaves
  double ridge;  // half the width of the ridge
  double high;
  double upturn;
};
void paint_roof(const composition& in, const roof_shape& of, colour tiles);

/// Posts and panels between two floors, in the shadow of the eaves above.
struct wall_shape {
  double x;
  double top;
  double half;
  double high;
  int bays;
};
void paint_wall(const composition& in, const wall_shape& of, colour panel, colour post);
void paint_railing(const composition& in, double x, double y, double half, double high,
                   colour paint);

void paint_pagoda(const composition& in, point foot, double high, int storeys, double fade = 0);
void paint_pavilion(const composition& in, point foot, double wide, bool golden);
void paint_keep(const composition& in, point foot, double wide, int storeys);
/// What a castle is where there are no keeps.
void paint_stone_castle(const composition& in, point foot, double wide);
/// A church with two spires, seen from the front.
void paint_church(const composition& in, point foot, double wide);
void paint_stage_hall(const composition& in, point foot, double wide);
void paint_torii(const composition& in, point foot, double wide, double fade = 0);
void paint_stone_lantern(const composition& in, point foot, double high);
void paint_paper_lantern(const composition& in, point at, double size, colour paper);

}  // namespace rowrunner::spot_images
