#pragma once

#include <string_view>

#include "workloads/spot_images/poster/brush.hpp"
#include "workloads/spot_images/poster/chance.hpp"
#include "workloads/spot_images/poster/palette.hpp"
#include "workloads/spot_images/poster/scene.hpp"

namespace rowrunner::spot_images {

/// What every part of the painting shares.
struct composition {
  const canvas& on;
  const scene& what;
  const palette& tint;
  /// Where the subject stands: aside, so that the title has a place of its own.
  double focus;
  double horizon;

  cairo_t* pen() const { return on.pen(); }
  double width() const { return on.width(); }
  double height() const { return on.height(); }
  bool at_night() const { return what.daytime == daytime::night; }
  bool in_winter() const { return what.season == season::winter; }
  /// -1 when the subject stands in the left half, and 1 in the right one.
  double side() const { return focus < width() / 2 ? -1 : 1; }
  /// Every part draws its own numbers, so that a change to one does not reshuffle the others.
  chance dice(std::string_view part) const { return chance(what.seed ^ fingerprint(part)); }
};

}  // namespace rowrunner::spot_images
