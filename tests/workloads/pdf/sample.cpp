#include "workloads/pdf/sample.hpp"

#include <cairo-pdf.h>
#include <cairo.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <memory>
#include <numbers>
#include <random>
#include <sstream>
#include <stdexcept>

namespace rowrunner::testing {
namespace {

constexpr double width = 595;
constexpr double height = 842;

struct release {
  void operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }
  void operator()(cairo_t* context) const { cairo_destroy(context); }
};
using surface_ptr = std::unique_ptr<cairo_surface_t, release>;
using context_ptr = std::unique_ptr<cairo_t, release>;

void write_lines(cairo_t* on, const page_lines& lines) {
  cairo_select_font_face(on, "Noto Sans CJK JP", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
  cairo_set_font_size(on, 14);
  double y = 90;
  for (const auto& each : lines) {
    cairo_move_to(on, 70, y);
    cairo_show_text(on, each.c_str());
    y += 28;
  }
}

surface_ptr new_pdf(const std::filesystem::path& to, double wide = width, double high = height) {
  return surface_ptr(cairo_pdf_surface_create(to.c_str(), wide, high));
}

void finish(cairo_surface_t* file) {
  cairo_surface_finish(file);
  if (cairo_surface_status(file) != CAIRO_STATUS_SUCCESS) {
    throw std::runtime_error("the PDF was not written");
  }
}

void add_noise(cairo_surface_t* picture, std::mt19937& chance) {
  cairo_surface_flush(picture);
  auto* data = cairo_image_surface_get_data(picture);
  const int stride = cairo_image_surface_get_stride(picture);
  for (int y = 0; y < cairo_image_surface_get_height(picture); ++y) {
    for (int x = 0; x < cairo_image_surface_get_width(picture); ++x) {
      auto* pixel = data + std::ptrdiff_t{y} * stride + 4 * x;
      const auto random = chance();
      // Grey of the paper, and a speck now and then.
      const int change = static_cast<int>(random % 48) - 24 - 16;
      const bool speck = (random >> 16) % 8192 == 0;
      for (int i = 0; i < 3; ++i) {
        pixel[i] = static_cast<unsigned char>(speck ? 60 : std::clamp(pixel[i] + change, 0, 255));
      }
    }
  }
  cairo_surface_mark_dirty(picture);
}

surface_ptr scan(const page_lines& lines, std::mt19937& chance) {
  constexpr double scale = 200.0 / 72;
  surface_ptr out(cairo_image_surface_create(CAIRO_FORMAT_RGB24, static_cast<int>(width * scale),
                                             static_cast<int>(height * scale)));
  const context_ptr on(cairo_create(out.get()));
  cairo_set_source_rgb(on.get(), 1, 1, 1);
  cairo_paint(on.get());
  cairo_scale(on.get(), scale, scale);
  const double degrees = (static_cast<double>(chance() % 2001) / 1000 - 1) * 0.7;
  cairo_translate(on.get(), width / 2, height / 2);
  cairo_rotate(on.get(), degrees * std::numbers::pi / 180);
  cairo_translate(on.get(), -width / 2, -height / 2);
  cairo_set_source_rgb(on.get(), 0.1, 0.1, 0.1);
  write_lines(on.get(), lines);
  add_noise(out.get(), chance);
  return out;
}

std::u32string characters(const std::string& text) {
  std::u32string out;
  for (std::size_t i = 0; i < text.size();) {
    const auto first = static_cast<unsigned char>(text[i]);
    const std::size_t length = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    char32_t code = length == 1 ? first : first & (0xFFU >> (length + 1));
    for (std::size_t k = 1; k < length; ++k) code = (code << 6) | (text[i + k] & 0x3F);
    if (code > ' ' && code != 0x3000) out += code;
    i += length;
  }
  return out;
}

}  // namespace

void write_text_pdf(const std::filesystem::path& to, const std::vector<page_lines>& pages) {
  const auto file = new_pdf(to);
  const context_ptr on(cairo_create(file.get()));
  for (const auto& each : pages) {
    write_lines(on.get(), each);
    cairo_show_page(on.get());
  }
  finish(file.get());
}

void write_scanned_pdf(const std::filesystem::path& to, const std::vector<page_lines>& pages,
                       std::uint32_t seed) {
  std::mt19937 chance(seed);
  const auto file = new_pdf(to);
  const context_ptr on(cairo_create(file.get()));
  for (const auto& each : pages) {
    const auto picture = scan(each, chance);
    cairo_save(on.get());
    cairo_scale(on.get(), 72.0 / 200, 72.0 / 200);
    cairo_set_source_surface(on.get(), picture.get(), 0, 0);
    cairo_paint(on.get());
    cairo_restore(on.get());
    cairo_show_page(on.get());
  }
  finish(file.get());
}

void write_empty_page_pdf(const std::filesystem::path& to, double wide, double high) {
  const auto file = new_pdf(to, wide, high);
  const context_ptr on(cairo_create(file.get()));
  cairo_show_page(on.get());
  finish(file.get());
}

std::string pdf_of(const std::vector<std::string>& objects) {
  std::string out = "%PDF-1.5\n";
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < objects.size(); ++i) {
    places.push_back(out.size());
    out += std::to_string(i + 1) + " 0 obj\n" + objects[i] + "\nendobj\n";
  }
  const auto table = out.size();
  out += "xref\n0 " + std::to_string(objects.size() + 1) + "\n0000000000 65535 f \n";
  for (const auto each : places) {
    auto digits = std::to_string(each);
    out += std::string(10 - digits.size(), '0') + digits + " 00000 n \n";
  }
  return out + "trailer\n<< /Root 1 0 R /Size " + std::to_string(objects.size() + 1) +
         " >>\nstartxref\n" + std::to_string(table) + "\n%%EOF\n";
}

std::string read_all(const std::filesystem::path& from) {
  std::ifstream file(from, std::ios::binary);
  std::ostringstream out;
  out << file.rdbuf();
  return out.str();
}

void write_all(const std::filesystem::path& to, const std::string& text) {
  std::ofstream(to, std::ios::binary) << text;
}

double character_error_rate(const std::string& truth, const std::string& read) {
  const auto wanted = characters(truth);
  const auto found = characters(read);
  std::vector<std::size_t> row(found.size() + 1);
  for (std::size_t i = 0; i < row.size(); ++i) row[i] = i;
  for (std::size_t i = 1; i <= wanted.size(); ++i) {
    auto corner = row[0];
    row[0] = i;
    for (std::size_t k = 1; k <= found.size(); ++k) {
      const auto above = row[k];
      row[k] = std::min({above + 1, row[k - 1] + 1, corner + (wanted[i - 1] != found[k - 1])});
      corner = above;
    }
  }
  return static_cast<double>(row.back()) / static_cast<double>(wanted.size());
}

page_lines letter(std::size_t page) {
  static const std::vector<page_lines> all = {
      {"平素より格別のご高配を賜り、厚く御礼申し上げます。",
       "このたび東京本社は新しい建物に移転いたしました。",
       "新しい住所と電話番号は次のとおりでございます。", "今後ともよろしくお願い申し上げます。",
       "Dear customer, our Tokyo office has moved.", "Please find the new address below."},
      {"注文書の内容を確認いたしました。", "商品は来週の月曜日に倉庫から発送する予定です。",
       "到着まで三日ほどかかる見込みです。", "ご不明な点があればお問い合わせください。",
       "The order will be shipped next Monday.", "Delivery takes about three working days."},
      {"会議の議事録を送付いたします。", "来年度の予算について意見を交換しました。",
       "次回の会議は京都支店で開催します。", "資料は前日までに共有してください。",
       "Minutes of the meeting are attached.", "The next meeting will be held in Kyoto."},
  };
  return all[page % all.size()];
}

}  // namespace rowrunner::testing
