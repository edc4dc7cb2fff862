#include "workloads/spot_images/poster/brush.hpp"

#include <numbers>
#include <stdexcept>
#include <string>

namespace rowrunner::spot_images {
namespace {

struct pattern_closer {
  void operator()(cairo_pattern_t* pattern) const { cairo_pattern_destroy(pattern); }
};
using pattern = std::unique_ptr<cairo_pattern_t, pattern_closer>;

void throw_if_bad(cairo_status_t status) {
  if (status != CAIRO_STATUS_SUCCESS) {
    throw std::runtime_error(std::string("cannot paint the poster: ") +
                             cairo_status_to_string(status));
  }
}

void add_stop(cairo_pattern_t* to, const stop& one) {
  cairo_pattern_add_color_stop_rgba(to, one.at, one.paint.red, one.paint.green, one.paint.blue,
                                    one.alpha);
}

pattern light_pool(double x, double y, double radius, colour paint, double alpha) {
  pattern pool(cairo_pattern_create_radial(x, y, 0, x, y, radius));
  for (double at : {0.0, 0.12, 0.25, 0.4, 0.55, 0.7, 0.85, 1.0}) {
    double rest = 1 - at;
    add_stop(pool.get(), {at, paint, alpha * rest * rest * (0.35 + 0.65 * rest)});
  }
  return pool;
}

}  // namespace

canvas::canvas(int pixel_width, int pixel_height, double height_in_units)
    : surface_(cairo_image_surface_create(CAIRO_FORMAT_RGB24, pixel_width, pixel_height)),
      height_(height_in_units),
      scale_(pixel_height / height_in_units),
      width_(pixel_width / scale_) {
  throw_if_bad(cairo_surface_status(surface_.get()));
  pen_.reset(cairo_create(surface_.get()));
  throw_if_failed();
  cairo_scale(pen(), scale_, scale_);
  cairo_set_line_cap(pen(), CAIRO_LINE_CAP_ROUND);
  cairo_set_line_join(pen(), CAIRO_LINE_JOIN_ROUND);
}

void canvas::throw_if_failed() const { throw_if_bad(cairo_status(pen())); }

void fill(cairo_t* pen, colour paint, double alpha) {
  cairo_set_source_rgba(pen, paint.red, paint.green, paint.blue, alpha);
  cairo_fill(pen);
}

void stroke(cairo_t* pen, colour paint, double width, double alpha) {
  cairo_set_source_rgba(pen, paint.red, paint.green, paint.blue, alpha);
  cairo_set_line_width(pen, width);
  cairo_stroke(pen);
}

void fill_blend(cairo_t* pen, point from, point to, stops blend) {
  pattern gradient(cairo_pattern_create_linear(from.x, from.y, to.x, to.y));
  for (const stop& one : blend) add_stop(gradient.get(), one);
  cairo_set_source(pen, gradient.get());
  cairo_fill(pen);
}

void fill_down(cairo_t* pen, double top, double bottom, stops blend) {
  fill_blend(pen, {0, top}, {0, bottom}, blend);
}

void fill_across(cairo_t* pen, double left, double right, stops blend) {
  fill_blend(pen, {left, 0}, {right, 0}, blend);
}

void oval(cairo_t* pen, double x, double y, double radius_x, double radius_y) {
  // A radius of zero would make the matrix singular, which is an error for good.
  if (radius_x <= 0 || radius_y <= 0) return;
  cairo_matrix_t before;
  cairo_get_matrix(pen, &before);
  cairo_translate(pen, x, y);
  cairo_scale(pen, radius_x, radius_y);
  cairo_new_sub_path(pen);
  cairo_arc(pen, 0, 0, 1, 0, 2 * std::numbers::pi);
  cairo_close_path(pen);
  cairo_set_matrix(pen, &before);
}

void dot(cairo_t* pen, double x, double y, double radius) { oval(pen, x, y, radius, radius); }

void box(cairo_t* pen, double x, double y, double width, double height) {
  cairo_rectangle(pen, x, y, width, height);
}

void outline(cairo_t* pen, std::initializer_list<point> corners) {
  cairo_new_sub_path(pen);
  for (const point& corner : corners) cairo_line_to(pen, corner.x, corner.y);
  cairo_close_path(pen);
}

void line(cairo_t* pen, point from, point to) {
  cairo_move_to(pen, from.x, from.y);
  cairo_line_to(pen, to.x, to.y);
}

void glow(cairo_t* pen, double x, double y, double radius, colour paint, double alpha) {
  pattern pool = light_pool(x, y, radius, paint, alpha);
  cairo_set_source(pen, pool.get());
  box(pen, x - radius, y - radius, 2 * radius, 2 * radius);
  cairo_fill(pen);
}

void shine(cairo_t* pen, double x, double y, double radius, colour paint, double alpha) {
  if (alpha <= 0) return;
  saved_pen kept(pen);
  cairo_set_operator(pen, CAIRO_OPERATOR_SCREEN);
  glow(pen, x, y, radius, paint, alpha);
}

void haze(const canvas& on, double top, double bottom, colour paint, double alpha) {
  box(on.pen(), 0, top, on.width(), bottom - top);
  fill_down(on.pen(), top, bottom,
            {{0, paint, 0}, {0.25, paint, alpha * 0.4}, {0.6, paint, alpha}, {1, paint, 0}});
}

}  // namespace rowrunner::spot_images
