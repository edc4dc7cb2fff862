#include <cmath>

#include "common/text.hpp"
#include "workloads/pdf/open_document.hpp"
#include "workloads/pdf/page_text.hpp"
#include "workloads/pdf/pdf.hpp"
#include "workloads/pdf/tools.hpp"

namespace rowrunner::pdf {
namespace {

int degrees(poppler::page::orientation_enum how) {
  switch (how) {
    case poppler::page::landscape:
      return 90;
    case poppler::page::upside_down:
      return 180;
    case poppler::page::seascape:
      return 270;
    case poppler::page::portrait:
      break;
  }
  return 0;
}

std::string text_on(const poppler::page& page) {
  const auto found = page.text(poppler::rectf(), poppler::page::non_raw_non_physical_layout);
  const auto bytes = found.to_utf8();
  const std::string_view text(bytes.data(), bytes.size());
  // Without NUL and broken bytes, which no table can store. A form feed ends a page.
  return tidy(printable(text, 3 * text.size()));
}

/// Those that the page names, also inside of forms; one that is drawn twice is one.
std::int64_t images_on(QPDFPageObjectHelper page) {
  std::int64_t count = 0;
  page.forEachImage(
      true, [&count](QPDFObjectHandle&, QPDFObjectHandle&, const std::string&) { ++count; });
  return count;
}

page_analysis analyse(open_document& from, int number) {
  const auto page = from.drawn_page(number);
  page_analysis out;
  out.page = number;
  out.rotation = degrees(page->orientation());
  const auto box = page->page_rect();
  out.width_pt = box.width();
  out.height_pt = box.height();
  if (out.rotation % 180 != 0) std::swap(out.width_pt, out.height_pt);
  // JSON has no infinity.
  if (!std::isfinite(out.width_pt) || !std::isfinite(out.height_pt)) {
    throw std::runtime_error("page " + std::to_string(number) + " has no size");
  }
  out.text = text_on(*page);
  out.words = count_words(out.text);
  out.characters = count_characters(out.text);
  out.images = images_on(from.page(number));
  return out;
}

}  // namespace

nlohmann::json analyse_tool(const nlohmann::json& arguments) {
  auto& from = document_of(file_of(arguments, 0));
  std::vector<page_analysis> out;
  const int last = arguments.at("last").get<int>();
  for (int page = arguments.at("first").get<int>(); page <= last; ++page) {
    out.push_back(analyse(from, page));
  }
  return out;
}

}  // namespace rowrunner::pdf
