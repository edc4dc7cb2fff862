#pragma once

#include <poppler-image.h>

#include "workloads/pdf/open_document.hpp"

namespace rowrunner::pdf {

/// Draws a page. Throws std::runtime_error if it would have more than max_pixels, before any memory
/// is taken for them.
poppler::image rendered_page(open_document& from, int page, int dpi,
                             poppler::image::format_enum format);

/// The page is one colour.
bool is_even(const poppler::image& grey);

/// The share of pixels that are dark, 0 to 1.
double ink(const poppler::image& grey);

}  // namespace rowrunner::pdf
