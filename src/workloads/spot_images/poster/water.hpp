#pragma once

#include "workloads/spot_images/poster/composition.hpp"

namespace rowrunner::spot_images {

/// Turns everything below `shore` into water that mirrors what stands above it.
/// `calm` is 1 for a pond and 0 for the sea.
void paint_water(const composition& in, double shore, double calm);
/// Light strokes on the water, denser beneath the sun or moon at `lit_x`.
void paint_glints(const composition& in, double shore, double lit_x);

}  // namespace rowrunner::spot_images
