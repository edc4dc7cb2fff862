#include <qpdf/QPDFExc.hh>
#include <qpdf/QPDFWriter.hh>
#include <stdexcept>

#include "workloads/pdf/invisible_font.hpp"
#include "workloads/pdf/open_document.hpp"
#include "workloads/pdf/output_file.hpp"
#include "workloads/pdf/pdf.hpp"
#include "workloads/pdf/text_layer.hpp"
#include "workloads/pdf/tools.hpp"

namespace rowrunner::pdf {
namespace {

constexpr const char* font_name = "/RowrunnerText";

box crop_of(QPDFPageObjectHelper page) {
  auto found = page.getCropBox();
  if (!found.isRectangle()) throw std::runtime_error("a page has no size");
  const auto area = found.getArrayAsRectangle();
  return {area.llx, area.lly, area.urx, area.ury};
}

int rotation_of(QPDFPageObjectHelper page) {
  auto found = page.getAttribute("/Rotate", false);
  return found.isInteger() ? found.getIntValueAsInt() : 0;
}

void add_font(QPDFPageObjectHelper page, const QPDFObjectHandle& font) {
  auto resources = page.getAttribute("/Resources", true);
  if (!resources.isDictionary()) {
    resources = QPDFObjectHandle::newDictionary();
    page.getObjectHandle().replaceKey("/Resources", resources);
  }
  auto fonts = resources.getKey("/Font");
  // Others may use the same dictionary.
  fonts = fonts.isDictionary() ? fonts.shallowCopy() : QPDFObjectHandle::newDictionary();
  fonts.replaceKey(font_name, font);
  resources.replaceKey("/Font", fonts);
}

void write_over(QPDF& document, QPDFPageObjectHelper page, const page_reading& reading,
                const QPDFObjectHandle& font) {
  add_font(page, font);
  // What the page leaves behind must not move the text.
  page.addPageContents(QPDFObjectHandle::newStream(&document, "q\n"), true);
  page.addPageContents(
      QPDFObjectHandle::newStream(
          &document, "\nQ\n" + text_layer(reading, crop_of(page), rotation_of(page), font_name)),
      false);
}

}  // namespace

nlohmann::json searchable_tool(const nlohmann::json& arguments) {
  // It is changed, so it is not the one that stays open.
  open_document from(file_of(arguments, 0));
  const foreign_file text(file_of(arguments, 1));
  const auto readings = nlohmann::json::parse(text.bytes().begin(), text.bytes().end());
  try {
    auto& document = from.structure();
    const auto font = add_invisible_font(document);
    const auto count = std::min<std::size_t>(readings.size(), from.pages());
    for (std::size_t i = 0; i < count; ++i) {
      if (readings[i].is_null()) continue;
      write_over(document, from.page(static_cast<int>(i) + 1), readings[i].get<page_reading>(),
                 font);
    }
    const auto file = output_to(file_of(arguments, 2));
    QPDFWriter writer(document, "searchable", file.get(), false);
    writer.setPreserveEncryption(false);
    writer.write();
    finish(file);
  } catch (const QPDFExc& problem) {
    throw std::runtime_error("the PDF is damaged: " + problem.getMessageDetail());
  }
  return nullptr;
}

}  // namespace rowrunner::pdf
