#include <tesseract/baseapi.h>
#include <tesseract/resultiterator.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>

#include "workloads/pdf/page_text.hpp"
#include "workloads/pdf/pdf.hpp"
#include "workloads/pdf/rendered_page.hpp"
#include "workloads/pdf/tools.hpp"

namespace rowrunner::pdf {
namespace {

using tesseract::TessBaseAPI;
using text_ptr = std::unique_ptr<char[]>;

/// Loading the trained data takes longer than reading a short page, so the last one is kept.
TessBaseAPI& reader_for(const std::string& languages, const std::string& data) {
  static std::unique_ptr<TessBaseAPI> last;
  static std::string made_for;
  const auto wanted = data + '\n' + languages;
  if (last && made_for == wanted) return *last;
  last = std::make_unique<TessBaseAPI>();
  if (last->Init(data.empty() ? nullptr : data.c_str(), languages.c_str(),
                 tesseract::OEM_LSTM_ONLY) != 0) {
    last.reset();
    throw std::runtime_error("the trained data of tesseract for '" + languages +
                             "' cannot be loaded" + (data.empty() ? "" : " from " + data));
  }
  made_for = wanted;
  return *last;
}

std::vector<word> words_of(TessBaseAPI& reader) {
  std::vector<word> out;
  const std::unique_ptr<tesseract::ResultIterator> each(reader.GetIterator());
  if (!each) return out;
  constexpr auto level = tesseract::RIL_WORD;
  do {
    if (each->Empty(level)) continue;
    const text_ptr text(each->GetUTF8Text(level));
    if (!text) continue;
    word found;
    found.text = text.get();
    if (count_characters(found.text) == 0) continue;
    found.confidence = each->Confidence(level);
    each->BoundingBox(level, &found.left, &found.top, &found.right, &found.bottom);
    out.push_back(std::move(found));
  } while (each->Next(level));
  return out;
}

void recognise(const poppler::image& grey, const nlohmann::json& arguments, page_reading& out) {
  auto& reader = reader_for(arguments.at("languages").get<std::string>(),
                            arguments.at("data").get<std::string>());
  const auto mode = arguments.at("segmentation").get<int>();
  if (mode < tesseract::PSM_OSD_ONLY || mode >= tesseract::PSM_COUNT) {
    throw std::runtime_error("segmentation must be from 0 to 13");
  }
  reader.SetPageSegMode(static_cast<tesseract::PageSegMode>(mode));
  reader.SetImage(reinterpret_cast<const unsigned char*>(grey.const_data()), grey.width(),
                  grey.height(), 1, grey.bytes_per_row());
  reader.SetSourceResolution(out.dpi);
  if (reader.Recognize(nullptr) != 0) throw std::runtime_error("the page cannot be recognised");
  const text_ptr text(reader.GetUTF8Text());
  out.text = tidy(without_japanese_spaces(text ? text.get() : ""));
  out.words = words_of(reader);
  out.confidence = out.words.empty() ? 0 : reader.MeanTextConf();
  // What was learnt from a page is not for the next one, and its image is not needed any more.
  reader.Clear();
  reader.ClearAdaptiveClassifier();
}

/// Dust on a scanned page is no content.
constexpr double dust = 0.005;

}  // namespace

nlohmann::json read_tool(const nlohmann::json& arguments) {
  page_reading out;
  out.dpi = arguments.at("dpi").get<int>();
  const auto grey =
      rendered_page(document_of(file_of(arguments, 0)), arguments.at("page").get<int>(), out.dpi,
                    poppler::image::format_gray8);
  out.width = grey.width();
  out.height = grey.height();
  if (!is_even(grey)) recognise(grey, arguments, out);
  out.blank = out.words.empty() && ink(grey) < dust;
  return out;
}

}  // namespace rowrunner::pdf
