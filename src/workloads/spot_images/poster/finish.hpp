#pragma once

#include <cstdint>

#include "workloads/spot_images/poster/brush.hpp"

namespace rowrunner::spot_images {

/// Darkens the corners of a picture.
void paint_vignette(const canvas& on, double alpha);
/// The tooth of printing paper, over everything.
void paint_grain(const canvas& on, std::uint64_t seed);

}  // namespace rowrunner::spot_images
