#pragma once

#include <string>

#include "workloads/spot_images/poster/brush.hpp"

namespace rowrunner::spot_images {

/// The canvas as a PNG file. Throws std::runtime_error when Cairo has failed.
std::string encode_png(const canvas& of);

}  // namespace rowrunner::spot_images
