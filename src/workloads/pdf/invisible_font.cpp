#include "workloads/pdf/invisible_font.hpp"

#include <cstdlib>
#include <fstream>
#include <sstream>

namespace rowrunner::pdf {
namespace {

/// Two bytes are one UTF-16 unit, which stands for itself.
constexpr const char* to_unicode = R"(/CIDInit /ProcSet findresource begin
12 dict begin
begincmap
/CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) /Supplement 0 >> def
/CMapName /Adobe-Identity-UCS def
/CMapType 2 def
1 begincodespacerange
<0000> <FFFF>
endcodespacerange
1 beginbfrange
<0000> <FFFF> <0000>
endbfrange
endcmap
CMapName currentdict /CMap defineresource pop
end
end
)";

/// Every character is drawn with glyph 1, which is empty.
std::string glyph_of_each() {
  std::string out;
  for (int i = 0; i < 0x10000; ++i) out += std::string("\0\1", 2);
  return out;
}

/// The font without glyphs that tesseract brings along. Without it, programs that show the file
/// choose a font of their own for the invisible text, and find the same words.
std::string font_file() {
  const char* chosen = std::getenv("TESSDATA_PREFIX");
  for (const auto* folder : {chosen == nullptr ? "" : chosen, "/usr/share/tesseract-ocr/5/tessdata",
                             "/usr/share/tesseract-ocr/4.00/tessdata", "/usr/share/tessdata"}) {
    std::ifstream file(std::string(folder) + "/pdf.ttf", std::ios::binary);
    std::ostringstream all;
    if (file && all << file.rdbuf()) return all.str();
  }
  return {};
}

QPDFObjectHandle stream(QPDF& to, const std::string& data) {
  return to.makeIndirectObject(QPDFObjectHandle::newStream(&to, data));
}

QPDFObjectHandle descriptor_of(QPDF& to) {
  auto out = QPDFObjectHandle::parse(
      "<< /Type /FontDescriptor /FontName /GlyphLessFont /Flags 5 /FontBBox [0 0 500 1000] "
      "/ItalicAngle 0 /Ascent 1000 /Descent -1 /CapHeight 1000 /StemV 80 >>");
  const auto data = font_file();
  if (!data.empty()) out.replaceKey("/FontFile2", stream(to, data));
  return to.makeIndirectObject(out);
}

}  // namespace

QPDFObjectHandle add_invisible_font(QPDF& to) {
  auto inner = QPDFObjectHandle::parse(
      "<< /Type /Font /Subtype /CIDFontType2 /BaseFont /GlyphLessFont /DW 500 "
      "/CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> >>");
  inner.replaceKey("/FontDescriptor", descriptor_of(to));
  inner.replaceKey("/CIDToGIDMap", stream(to, glyph_of_each()));
  auto outer = QPDFObjectHandle::parse(
      "<< /Type /Font /Subtype /Type0 /BaseFont /GlyphLessFont /Encoding /Identity-H >>");
  outer.replaceKey("/DescendantFonts", QPDFObjectHandle::newArray({to.makeIndirectObject(inner)}));
  outer.replaceKey("/ToUnicode", stream(to, to_unicode));
  return to.makeIndirectObject(outer);
}

}  // namespace rowrunner::pdf
