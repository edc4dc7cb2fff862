#pragma once

#include <cairo.h>

#include <initializer_list>
#include <memory>
#include <utility>

#include "workloads/spot_images/poster/colour.hpp"

namespace rowrunner::spot_images {

struct point {
  double x = 0;
  double y = 0;
};

constexpr point between(point from, point to, double share) {
  return {from.x + (to.x - from.x) * share, from.y + (to.y - from.y) * share};
}

/// A surface to paint on. It measures `height_in_units` from top to bottom at any size in pixels.
class canvas {
 public:
  /// Throws std::runtime_error when Cairo cannot make it.
  canvas(int pixel_width, int pixel_height, double height_in_units);

  cairo_t* pen() const { return pen_.get(); }
  cairo_surface_t* surface() const { return surface_.get(); }
  double width() const { return width_; }
  double height() const { return height_; }
  /// Pixels per unit.
  double scale() const { return scale_; }

  /// Cairo keeps its first error and ignores all that follows; here it comes out.
  void throw_if_failed() const;

 private:
  struct surface_closer {
    void operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }
  };
  struct pen_closer {
    void operator()(cairo_t* pen) const { cairo_destroy(pen); }
  };

  std::unique_ptr<cairo_surface_t, surface_closer> surface_;
  std::unique_ptr<cairo_t, pen_closer> pen_;
  double height_;
  double scale_;
  double width_;
};

/// Sets a clip or transformation aside at the end of a block.
class saved_pen {
 public:
  explicit saved_pen(cairo_t* pen) : pen_(pen) { cairo_save(pen_); }
  ~saved_pen() { cairo_restore(pen_); }
  saved_pen(const saved_pen&) = delete;
  saved_pen& operator=(const saved_pen&) = delete;

 private:
  cairo_t* pen_;
};

struct stop {
  double at;
  colour paint;
  double alpha = 1;
};
using stops = std::initializer_list<stop>;

// Each of these uses up the current path.
void fill(cairo_t* pen, colour paint, double alpha = 1);
void stroke(cairo_t* pen, colour paint, double width, double alpha = 1);
void fill_blend(cairo_t* pen, point from, point to, stops blend);
void fill_down(cairo_t* pen, double top, double bottom, stops blend);
void fill_across(cairo_t* pen, double left, double right, stops blend);

// Paths.
void oval(cairo_t* pen, double x, double y, double radius_x, double radius_y);
void dot(cairo_t* pen, double x, double y, double radius);
void box(cairo_t* pen, double x, double y, double width, double height);
void outline(cairo_t* pen, std::initializer_list<point> corners);
void line(cairo_t* pen, point from, point to);

/// A soft light that fades out at `radius`.
void glow(cairo_t* pen, double x, double y, double radius, colour paint, double alpha);
/// Brightens instead of covering, for lamps at night.
void shine(cairo_t* pen, double x, double y, double radius, colour paint, double alpha);
/// Covers everything between two heights with a haze that fades at both edges.
void haze(const canvas& on, double top, double bottom, colour paint, double alpha);

}  // namespace rowrunner::spot_images
