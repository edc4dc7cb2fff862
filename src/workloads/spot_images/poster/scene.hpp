#pragma once

#include <cstdint>

#include "workloads/spot_images/poster.hpp"

namespace rowrunner::spot_images {

enum class season { spring, summer, autumn, winter };
enum class daytime { dawn, day, dusk, night };
enum class motif {
  hills,
  pagoda,
  church,
  stage,
  torii,
  torii_rows,
  bamboo,
  river,
  castle,
  pavilion,
  silver_pavilion,
  garden,
  moss,
  market,
  mountain,
  sea,
  tower,
  street,
  skyline,
};

/// What the picture shows. Everything else about it follows from `seed`.
struct scene {
  spot_images::season season;
  spot_images::daytime daytime;
  spot_images::motif motif;
  /// No Japanese script and no Japanese place in the text: houses and bridges are of stone.
  bool western;
  std::uint64_t seed;

  bool operator==(const scene&) const = default;
};

/// Reads season, time of day and subject from keywords in Japanese and English. In a name the last
/// subject wins, since both languages end on the noun that says what a thing is (竹田城 is a
/// castle, Tower Bridge is a bridge); the description is asked when the name says nothing, or only
/// that the place is a temple. An English description begins with what it is about.
scene decide_scene(const place_text& place);

}  // namespace rowrunner::spot_images
