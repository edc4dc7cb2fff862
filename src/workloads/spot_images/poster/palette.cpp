#include "workloads/spot_images/poster/palette.hpp"

#include <array>
#include <cmath>

#include "workloads/spot_images/poster/chance.hpp"

namespace rowrunner::spot_images {

colour turn_hue(colour base, double angle) {
  double grey = (base.red + base.green + base.blue) / 3;
  double cosine = std::cos(angle);
  double sine = std::sin(angle) / std::sqrt(3.0);
  auto channel = [&](double own, double next, double last) {
    double turned = grey + (own - grey) * cosine + (last - next) * sine;
    return std::clamp(turned, 0.0, 1.0);
  };
  return {channel(base.red, base.green, base.blue), channel(base.green, base.blue, base.red),
          channel(base.blue, base.red, base.green)};
}

namespace {

struct sky {
  std::uint32_t top, middle, low, disc, halo;
};

/// By season, then dawn, day, dusk, night.
constexpr std::array<std::array<sky, 4>, 4> skies{{
    {{{0x8aa3c6, 0xe2bcc8, 0xfce6cd, 0xfff2df, 0xffd9c2},
      {0x6fa9c9, 0xb3d5dc, 0xf9e9df, 0xfffaee, 0xfff1dd},
      {0x4f5791, 0xd4849d, 0xfcc79e, 0xfff0d2, 0xffb890},
      {0x10163a, 0x283063, 0x6d5b90, 0xfdf6e0, 0xb9b4e6}}},
    {{{0x5296b3, 0xaed6c8, 0xfcf0c6, 0xfffbe2, 0xfff0b8},
      {0x2487b5, 0x7cc3d4, 0xe6f2de, 0xfffdf0, 0xfdf6d0},
      {0x27427f, 0xdc7360, 0xfccb7c, 0xffefb8, 0xff9f5a},
      {0x06122d, 0x11335e, 0x2d6d86, 0xfbf6da, 0x9fd0dc}}},
    {{{0x8690a8, 0xdcb79d, 0xfae0b2, 0xfff3d8, 0xffd39a},
      {0x5f9ab6, 0xc3d6d0, 0xf9e5bd, 0xfff8e4, 0xffe9b5},
      {0x43305c, 0xc65040, 0xf8b75e, 0xffe9ae, 0xff8a45},
      {0x100d2a, 0x2f2150, 0x7e4763, 0xffefcf, 0xd9a6b8}}},
    {{{0x748cb2, 0xc3c1d6, 0xf9e0d3, 0xfff6ec, 0xffdccb},
      {0x83a9c6, 0xc2d5e1, 0xf3f3f0, 0xffffff, 0xf6f3ea},
      {0x36406d, 0x967fa9, 0xf3bda4, 0xfff1e0, 0xffbfa4},
      {0x0a1430, 0x1f3566, 0x5a76a4, 0xf7f8f2, 0xa9c2ea}}},
}};

constexpr std::array<tones, 4> leaves{{
    {hex(0xc86f8c), hex(0xf0a9bd), hex(0xfddde4)},
    {hex(0x1c5c3a), hex(0x468f47), hex(0x9fca62)},
    {hex(0x8a1c24), hex(0xd6452b), hex(0xf8a83c)},
    {hex(0x9fb4c8), hex(0xdce6ef), hex(0xffffff)},
}};

constexpr std::array<tones, 4> grasses{{
    {hex(0x4d7d4c), hex(0x82a95c), hex(0xbdd07f)},
    {hex(0x2c6b3d), hex(0x55964a), hex(0x9cc45f)},
    {hex(0x7a5a2e), hex(0xb08a45), hex(0xddb866)},
    {hex(0xa6bacd), hex(0xdbe6ef), hex(0xf8fbfd)},
}};

constexpr std::array<colour, 4> hills{hex(0x3f7068), hex(0x1d5a50), hex(0x5c4a48), hex(0x566f8a)};
constexpr std::array<colour, 4> petals{hex(0xfbd3dc), hex(0xe9f5a8), hex(0xe0512e), hex(0xffffff)};

struct hour_light {
  colour filter;
  colour haze;
  double haze_share;
  double lamp_light;
};

constexpr std::array<hour_light, 4> lights{{
    {{1.00, 0.95, 0.92}, hex(0xf0d5c8), 0.14, 0.25},
    {{1.00, 1.00, 1.00}, hex(0xffffff), 0.00, 0.0},
    {{0.93, 0.78, 0.80}, hex(0x6b3350), 0.12, 0.75},
    {{0.50, 0.57, 0.80}, hex(0x132350), 0.27, 1.0},
}};

std::size_t index(season value) { return static_cast<std::size_t>(value); }
std::size_t index(daytime value) { return static_cast<std::size_t>(value); }

colour lit(colour base, const hour_light& light, double strength = 1) {
  colour filtered = mix(base, times(base, light.filter), strength);
  return mix(filtered, light.haze, light.haze_share * strength);
}

tones lit(const tones& base, const hour_light& light, double strength = 1) {
  return {lit(base.dark, light, strength), lit(base.plain, light, strength),
          lit(base.light, light, strength)};
}

tones turned(const tones& base, double angle) {
  return {turn_hue(base.dark, angle), turn_hue(base.plain, angle), turn_hue(base.light, angle)};
}

void set_sky(palette& set, const scene& what, double angle) {
  const sky& chosen = skies[index(what.season)][index(what.daytime)];
  set.sky_top = turn_hue(hex(chosen.top), angle);
  set.sky_middle = turn_hue(hex(chosen.middle), angle);
  set.sky_low = turn_hue(hex(chosen.low), angle * 0.5);
  set.disc = hex(chosen.disc);
  set.halo = hex(chosen.halo);
}

void set_materials(palette& set, const hour_light& light) {
  set.earth = lit(hex(0xb79f7e), light);
  set.sand = lit(hex(0xe6ddcc), light);
  set.wood = lit(hex(0x5b3d2c), light);
  set.roof = lit(hex(0x46505c), light);
  set.wall = lit(hex(0xf5eee0), light);
  set.stone = lit(hex(0x938f89), light);
  set.vermilion = lit(hex(0xd8432a), light, 0.72);
  set.gold = lit(hex(0xe2af41), light, 0.45);
  set.lamp = hex(0xffc765);
  set.paper = hex(0xf6efe1);
  set.ink = hex(0x2a2430);
  set.seal = hex(0xb8322a);
}

/// Haze, mountains and water take their colours from the sky.
void set_distance(palette& set, daytime hour) {
  if (hour == daytime::dusk) {
    // Green hills in an orange haze would turn to mud: in the evening only the sky's own colours.
    set.mist = mix(set.sky_low, set.sky_middle, 0.45);
    set.far = mix(set.mist, mix(set.sky_middle, set.sky_top, 0.72), 0.5);
    set.near = mix(set.near, set.sky_top, 0.45);
    set.water = mix(mix(set.sky_top, set.sky_middle, 0.42), hex(0x1f5868), 0.1);
    return;
  }
  bool night = hour == daytime::night;
  set.mist = mix(set.sky_low, night ? set.sky_middle : hex(0xffffff), 0.3);
  set.far = mix(set.mist, mix(set.near, set.sky_top, 0.45), 0.45);
  set.water = mix(mix(set.sky_middle, hex(0x1f5868), night ? 0.25 : 0.42), set.sky_top, 0.25);
}

}  // namespace

palette choose_palette(const scene& what) {
  chance dice(what.seed ^ fingerprint("palette"));
  // Enough to tell two neighbours in a gallery apart, too little to leave the season.
  double angle = dice.between(-0.16, 0.16);
  const hour_light& light = lights[index(what.daytime)];

  palette set{};
  set_sky(set, what, angle);
  set_materials(set, light);
  // Blossoms and maples are lit up at night, as they are in Kyoto: they keep most of their colour.
  double on_leaves = what.season == season::winter || what.season == season::summer ? 0.8 : 0.5;
  set.leaf = lit(turned(leaves[index(what.season)], angle * 0.6), light, on_leaves);
  set.grass = lit(turned(grasses[index(what.season)], angle * 0.6), light);
  if (what.season == season::winter) set.sand = mix(set.sand, set.grass.light, 0.7);
  set.pine = lit({hex(0x17382f), hex(0x2b5846), hex(0x5c8560)}, light);
  set.near = lit(turn_hue(hills[index(what.season)], angle), light, 0.9);
  set_distance(set, what.daytime);
  set.petal = lit(petals[index(what.season)], light, 0.25);
  set.lamp_light = light.lamp_light;
  return set;
}

}  // namespace rowrunner::spot_images
