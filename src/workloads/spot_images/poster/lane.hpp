#pragma once

#include <initializer_list>

#include "workloads/spot_images/poster/composition.hpp"

namespace rowrunner::spot_images {

/// A street seen along its length, in one-point perspective. `across` counts from the middle,
/// `up` from the ground, both in units at depth 1, where the picture begins.
struct lane {
  point vanishing;
  double eye;   // how high above the ground the viewer looks
  double half;  // from the middle to the houses

  point at(double across, double up, double depth) const {
    return {vanishing.x + across / depth, vanishing.y + (eye - up) / depth};
  }
};

struct spot_in_lane {
  double across, up, depth;
};

void trace_in_lane(cairo_t* pen, const lane& of, std::initializer_list<spot_in_lane> corners);
/// Paving with joints that run to the vanishing point, wet enough to hold the light of lamps.
void paint_paving(const composition& in, const lane& of, colour stone);
/// A person in a kimono beneath a paper parasol.
void paint_stroller(const composition& in, point foot, double high, colour robe, colour parasol);

}  // namespace rowrunner::spot_images
