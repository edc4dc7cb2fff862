#pragma once

#include "workloads/spot_images/poster/colour.hpp"
#include "workloads/spot_images/poster/scene.hpp"

namespace rowrunner::spot_images {

/// Three tones of one material: in shadow, as it is, in the light.
struct tones {
  colour dark;
  colour plain;
  colour light;
};

/// The colours of one picture, already in the light of its hour.
struct palette {
  colour sky_top, sky_middle, sky_low;
  colour disc, halo;
  colour far, near, mist;
  tones leaf, pine, grass;
  colour earth, sand, water;
  colour wood, roof, wall, stone, vermilion, gold;
  colour lamp;
  colour petal;
  colour paper, ink, seal;
  /// How brightly lamps and windows shine: 0 by day.
  double lamp_light;
};

palette choose_palette(const scene& what);

}  // namespace rowrunner::spot_images
