#pragma once

#include <string>
#include <string_view>

#include "workloads/spot_images/poster.hpp"
#include "workloads/spot_images/poster/brush.hpp"
#include "workloads/spot_images/poster/palette.hpp"

namespace rowrunner::spot_images {

/// A short Japanese name is set as a column on a paper strip, anything else as a banner on the
/// paper beneath the picture.
enum class title_style { none, column, banner };

struct extent {
  double width = 0;
  double height = 0;
};

/// How a title is set, in units of the poster. For a column, `name` and `area` are measured as they
/// stand: a column is high and narrow.
struct title_layout {
  title_style style = title_style::none;
  double name_size = 0;  // of the type
  double area_size = 0;
  int lines = 0;
  bool shortened = false;  // an ellipsis stands for the rest
  extent name;
  extent area;
  /// What the title needs of the poster: the strip, or the band beneath the picture.
  extent space;
};

/// Finds the largest setting that fits a poster of this size.
title_layout fit_title(const place_text& place, double poster_width, double poster_height);

/// Paints what fit_title decided. `corner` is the strip's or the band's upper left corner.
void draw_title(const canvas& on, const place_text& place, const title_layout& as, point corner,
                const palette& tint);

/// The text as it is shown: valid UTF-8 in one line of at most 240 characters, without control
/// characters, direction overrides and emoji.
std::string displayed_text(std::string_view raw);

}  // namespace rowrunner::spot_images
