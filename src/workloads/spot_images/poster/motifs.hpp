#pragma once

#include "workloads/spot_images/poster/composition.hpp"

namespace rowrunner::spot_images {

/// How far down the canvas the horizon of a subject lies, from 0 to 1.
double horizon_share(motif subject);
/// Paints everything but petals, grain and title.
void paint_motif(const composition& in);

/// Sky, sun or moon, and mountains: where most subjects stand.
void paint_open_air(const composition& in, int ranges = 4, double rise = 230);
/// Where paint_open_air puts the sun or moon.
point disc_place(const composition& in);
/// Ground that comes towards the viewer from `top` on.
void paint_ground(const composition& in, double top, const tones& of);
/// A path that narrows towards `far`.
void paint_path(const composition& in, point far, double far_wide, double near_wide, colour paint);

void paint_pagoda_scene(const composition& in);
void paint_church_scene(const composition& in);
void paint_stage_scene(const composition& in);
void paint_pavilion_scene(const composition& in);
void paint_castle_scene(const composition& in);
void paint_torii_scene(const composition& in);
void paint_torii_rows_scene(const composition& in);
void paint_bamboo_scene(const composition& in);
void paint_moss_scene(const composition& in);
void paint_garden_scene(const composition& in);
void paint_river_scene(const composition& in);
void paint_mountain_scene(const composition& in);
void paint_sea_scene(const composition& in);
void paint_hills_scene(const composition& in);
void paint_street_scene(const composition& in);
void paint_market_scene(const composition& in);
void paint_tower_scene(const composition& in);
void paint_skyline_scene(const composition& in);

}  // namespace rowrunner::spot_images
