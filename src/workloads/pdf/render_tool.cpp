#include <leptonica/allheaders.h>

#include <cstdint>
#include <memory>
#include <stdexcept>

#include "workloads/pdf/output_file.hpp"
#include "workloads/pdf/rendered_page.hpp"
#include "workloads/pdf/tools.hpp"

namespace rowrunner::pdf {
namespace {

struct destroy_pix {
  void operator()(PIX* pix) const { pixDestroy(&pix); }
};
using pix_ptr = std::unique_ptr<PIX, destroy_pix>;

pix_ptr picture_of(const poppler::image& from, int dpi) {
  pix_ptr out(pixCreate(from.width(), from.height(), 32));
  if (!out) throw std::bad_alloc();
  pixSetResolution(out.get(), dpi, dpi);
  for (int y = 0; y < from.height(); ++y) {
    const auto* row = from.const_data() + std::ptrdiff_t{y} * from.bytes_per_row();
    auto* line = pixGetData(out.get()) + std::ptrdiff_t{y} * pixGetWpl(out.get());
    for (int x = 0; x < from.width(); ++x) {
      const auto value = [&](int which) { return static_cast<std::uint8_t>(row[3 * x + which]); };
      composeRGBPixel(value(0), value(1), value(2), line + x);
    }
  }
  return out;
}

}  // namespace

nlohmann::json render_tool(const nlohmann::json& arguments) {
  const int dpi = arguments.at("dpi").get<int>();
  const auto drawn =
      rendered_page(document_of(file_of(arguments, 0)), arguments.at("page").get<int>(), dpi,
                    poppler::image::format_rgb24);
  const auto picture = picture_of(drawn, dpi);
  const auto file = output_to(file_of(arguments, 1));
  if (pixWriteStreamPng(file.get(), picture.get(), 0) != 0) {
    throw std::runtime_error("the image cannot be written");
  }
  finish(file);
  return {{"width", drawn.width()}, {"height", drawn.height()}};
}

}  // namespace rowrunner::pdf
