#pragma once

#include <array>

#include "workloads/spot_images/poster/composition.hpp"

namespace rowrunner::spot_images {

/// The crest of a mountain or hill: a few octaves of smooth noise.
class crest {
 public:
  struct shape {
    double base;        // the height of its valleys, on the canvas
    double rise;        // how far the highest peak stands above them
    double wavelength;  // from peak to peak
    double ruggedness;  // 0 rolling, 1 craggy
  };

  crest(chance dice, const shape& of) : seed_(dice.next()), shape_(of) {}

  double at(double x) const;
  /// The path of everything below the crest.
  void trace(const composition& in, double bottom) const;

 private:
  double noise(double x, std::uint64_t octave) const;

  std::uint64_t seed_;
  shape shape_;
};

void paint_sky(const composition& in);
/// Sun or moon, with its halo.
void paint_disc(const composition& in, point at, double radius);
void paint_mist_bands(const composition& in, double top, double bottom, int count);
/// Ranges of mountains, paler with distance, down to the horizon.
void paint_ranges(const composition& in, int count, double rise);
/// Beams of light that fall from the upper corner.
void paint_light_beams(const composition& in, double alpha);

}  // namespace rowrunner::spot_images
