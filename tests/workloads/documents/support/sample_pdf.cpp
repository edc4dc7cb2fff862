#include "workloads/documents/support/sample_pdf.hpp"

#include <cairo-pdf.h>

#include <fstream>
#include <iterator>
#include <memory>

namespace rowrunner::testing {

namespace {

cairo_status_t append(void* to, const unsigned char* bytes, unsigned int count) {
  static_cast<std::string*>(to)->append(reinterpret_cast<const char*>(bytes), count);
  return CAIRO_STATUS_SUCCESS;
}

}  // namespace

std::string text_pdf(const std::vector<std::string>& pages) {
  std::string out;
  cairo_surface_t* surface = cairo_pdf_surface_create_for_stream(append, &out, 420, 595);
  cairo_t* pen = cairo_create(surface);
  cairo_select_font_face(pen, "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
  cairo_set_font_size(pen, 28);
  for (const auto& text : pages) {
    cairo_move_to(pen, 40, 120);
    cairo_show_text(pen, text.c_str());
    cairo_show_page(pen);
  }
  cairo_destroy(pen);
  cairo_surface_finish(surface);
  cairo_surface_destroy(surface);
  return out;
}

std::string pdf_of(const std::vector<std::string>& objects) {
  std::string out = "%PDF-1.4\n";
  std::string table = "0000000000 65535 f \n";
  for (std::size_t i = 0; i < objects.size(); ++i) {
    std::string at = std::to_string(out.size());
    at.insert(0, 10 - at.size(), '0');
    table += at + " 00000 n \n";
    out += std::to_string(i + 1) + " 0 obj\n" + objects[i] + "\nendobj\n";
  }
  const auto start = std::to_string(out.size());
  const auto size = std::to_string(objects.size() + 1);
  return out + "xref\n0 " + size + "\n" + table + "trailer\n<< /Size " + size +
         " /Root 1 0 R >>\nstartxref\n" + start + "\n%%EOF\n";
}

std::string read_file(const std::filesystem::path& from) {
  std::ifstream file(from, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write_file(const std::filesystem::path& to, const std::string& bytes) {
  std::ofstream(to, std::ios::binary) << bytes;
}

}  // namespace rowrunner::testing
