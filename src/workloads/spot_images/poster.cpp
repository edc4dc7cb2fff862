#include "workloads/spot_images/poster.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "workloads/spot_images/poster/finish.hpp"
#include "workloads/spot_images/poster/foliage.hpp"
#include "workloads/spot_images/poster/motifs.hpp"
#include "workloads/spot_images/poster/png.hpp"
#include "workloads/spot_images/poster/title.hpp"

namespace rowrunner::spot_images {
namespace {

constexpr double poster_units = 900;
constexpr double picture_units = 850;
constexpr double margin = 26;
constexpr double strip_inset = 34;

struct pixel_box {
  int x, y, width, height;
};

void check_size(int width, int height) {
  auto in_range = [](int pixels) { return pixels >= 64 && pixels <= 8192; };
  if (!in_range(width) || !in_range(height) || width > 4 * height || height > 4 * width) {
    throw std::invalid_argument(
        "a poster measures 64 to 8192 pixels and is at most four times as long as wide");
  }
}

pixel_box picture_box(const canvas& poster, const title_layout& title) {
  auto pixels = [&](double units) { return static_cast<int>(std::lround(units * poster.scale())); };
  double band = title.style == title_style::banner ? title.space.height - margin * 0.4 : 0;
  pixel_box box{pixels(margin), pixels(margin), pixels(poster.width() - 2 * margin),
                pixels(poster.height() - 2 * margin - band)};
  box.width = std::max(box.width, 8);
  box.height = std::max(box.height, 8);
  return box;
}

/// The subject leaves the strip's side of the picture free.
double focus_of(const canvas& picture, const title_layout& title, bool strip_at_right,
                chance dice) {
  if (title.style == title_style::column) {
    return picture.width() * (strip_at_right ? dice.between(0.38, 0.43) : dice.between(0.57, 0.62));
  }
  return picture.width() * (dice.odds(0.5) ? dice.between(0.42, 0.47) : dice.between(0.53, 0.58));
}

void paint_picture(const canvas& picture, const scene& what, const palette& tint, double focus) {
  composition in{picture, what, tint, focus, picture.height() * horizon_share(what.motif)};
  paint_motif(in);
  bool indoors = what.motif == motif::market;
  if (!indoors) paint_falling(in, 85);
  paint_vignette(picture, in.at_night() ? 0.5 : 0.38);
  picture.throw_if_failed();
}

void mount(const canvas& poster, const canvas& picture, const pixel_box& at, const palette& tint) {
  cairo_t* pen = poster.pen();
  {
    saved_pen kept(pen);
    cairo_identity_matrix(pen);
    cairo_set_source_surface(pen, picture.surface(), at.x, at.y);
    cairo_paint(pen);
  }
  double unit = 1 / poster.scale();
  box(pen, at.x * unit - 5, at.y * unit - 5, at.width * unit + 10, at.height * unit + 10);
  stroke(pen, tint.ink, 1.4, 0.65);
}

}  // namespace

std::string paint_poster(const place_text& place, int width, int height) {
  check_size(width, height);
  scene what = decide_scene(place);
  palette tint = choose_palette(what);
  chance dice(what.seed ^ fingerprint("poster"));
  bool strip_at_right = dice.odds(0.6);

  // The shorter side decides how large a unit is, so that type keeps its proportion to the paper.
  canvas poster(width, height, poster_units * std::max(1.0, static_cast<double>(height) / width));
  box(poster.pen(), 0, 0, poster.width(), poster.height());
  fill(poster.pen(), tint.paper);
  title_layout title = fit_title(place, poster.width(), poster.height());
  pixel_box at = picture_box(poster, title);

  canvas picture(at.width, at.height, picture_units);
  paint_picture(picture, what, tint, focus_of(picture, title, strip_at_right, dice));
  mount(poster, picture, at, tint);

  point corner{0, poster.height() - title.space.height - margin * 0.5};
  if (title.style == title_style::column) {
    double inset = margin + strip_inset;
    corner = {strip_at_right ? poster.width() - inset - title.space.width : inset, inset};
  }
  draw_title(poster, place, title, corner, tint);
  paint_grain(poster, what.seed);
  return encode_png(poster);
}

}  // namespace rowrunner::spot_images
