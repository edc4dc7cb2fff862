#include "workloads/pdf/rendered_page.hpp"

#include <poppler-page-renderer.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <stdexcept>
#include <string>

#include "workloads/pdf/pdf.hpp"

namespace rowrunner::pdf {
namespace {

void check_size(const poppler::rectf& box, int page, int dpi) {
  const double pixels = std::ceil(box.width() * dpi / 72) * std::ceil(box.height() * dpi / 72);
  if (pixels >= 1 && pixels <= max_pixels) return;
  const auto about = "page " + std::to_string(page) + " ";
  if (!(pixels >= 1)) throw std::runtime_error(about + "has no size");
  throw std::runtime_error(about + "is too large: " + std::to_string(std::llround(pixels / 1e6)) +
                           " megapixels at " + std::to_string(dpi) + " dpi, at most " +
                           std::to_string(std::llround(max_pixels / 1e6)) + " are drawn");
}

std::span<const std::uint8_t> row(const poppler::image& grey, int y) {
  const auto* start = grey.const_data() + std::ptrdiff_t{y} * grey.bytes_per_row();
  return {reinterpret_cast<const std::uint8_t*>(start), static_cast<std::size_t>(grey.width())};
}

}  // namespace

poppler::image rendered_page(open_document& from, int page, int dpi,
                             poppler::image::format_enum format) {
  if (dpi < 10 || dpi > 1200) throw std::runtime_error("dpi must be from 10 to 1200");
  const auto drawn = from.drawn_page(page);
  check_size(drawn->page_rect(), page, dpi);
  poppler::page_renderer renderer;
  renderer.set_render_hint(poppler::page_renderer::antialiasing);
  renderer.set_render_hint(poppler::page_renderer::text_antialiasing);
  renderer.set_image_format(format);
  auto out = renderer.render_page(drawn.get(), dpi, dpi);
  if (!out.is_valid() || out.const_data() == nullptr) {
    throw std::runtime_error("page " + std::to_string(page) + " cannot be drawn");
  }
  return out;
}

bool is_even(const poppler::image& grey) {
  constexpr int noticeable = 8;
  const int first = row(grey, 0).front();
  for (int y = 0; y < grey.height(); ++y) {
    for (const int value : row(grey, y)) {
      if (std::abs(value - first) >= noticeable) return false;
    }
  }
  return true;
}

double ink(const poppler::image& grey) {
  std::ptrdiff_t dark = 0;
  for (int y = 0; y < grey.height(); ++y) {
    const auto pixels = row(grey, y);
    dark += std::count_if(pixels.begin(), pixels.end(), [](int value) { return value < 128; });
  }
  return static_cast<double>(dark) / (static_cast<double>(grey.width()) * grey.height());
}

}  // namespace rowrunner::pdf
