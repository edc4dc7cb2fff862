#pragma once

#include "workloads/spot_images/poster/backdrop.hpp"
#include "workloads/spot_images/poster/composition.hpp"

namespace rowrunner::spot_images {

/// A cloud of leaves or blossoms, lit from above.
void paint_crown(cairo_t* pen, chance& dice, point at, double wide, double high, const tones& of);
/// A tree in the colour of the season.
void paint_tree(const composition& in, chance& dice, point foot, double high);
/// A garden pine with its trimmed pads.
void paint_pine(const composition& in, chance& dice, point foot, double high);
/// A slender conifer.
void paint_cedar(const composition& in, chance& dice, point foot, double high, double fade = 0);
/// Trees that cover everything between a crest and `bottom`; `evergreen` is their share.
void paint_woods(const composition& in, chance dice, const crest& above, double bottom, double size,
                 double evergreen, double fade);
void paint_shrubs(const composition& in, chance dice, double from, double to, double y, double size,
                  const tones& of);
void paint_grass(const composition& in, chance dice, double from, double to, double y, int count,
                 double high);
void paint_rock(const composition& in, chance& dice, point at, double wide, double high);

/// A branch that reaches into the picture from an upper corner: -1 left, 1 right.
void paint_framing_branch(const composition& in, double corner);
/// Petals, leaves, snow or fireflies in the air.
void paint_falling(const composition& in, int count);

}  // namespace rowrunner::spot_images
