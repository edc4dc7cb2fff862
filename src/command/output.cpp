#include "command/output.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <ostream>

#include "common/text.hpp"

namespace rowrunner {
namespace {

struct range {
  char32_t first;
  char32_t last;
};

// Unicode's East Asian Wide and Fullwidth blocks, and the emoji that terminals draw wide.
constexpr std::array wide{range{0x1100, 0x115F},   range{0x231A, 0x231B},   range{0x2329, 0x232A},
                          range{0x23E9, 0x23EC},   range{0x2614, 0x2615},   range{0x2648, 0x2653},
                          range{0x26AA, 0x26AB},   range{0x26BD, 0x26BE},   range{0x2705, 0x2705},
                          range{0x2728, 0x2728},   range{0x274C, 0x274C},   range{0x2753, 0x2755},
                          range{0x2795, 0x2797},   range{0x2B1B, 0x2B1C},   range{0x2E80, 0x303E},
                          range{0x3041, 0x33FF},   range{0x3400, 0x4DBF},   range{0x4E00, 0x9FFF},
                          range{0xA000, 0xA4CF},   range{0xA960, 0xA97F},   range{0xAC00, 0xD7A3},
                          range{0xF900, 0xFAFF},   range{0xFE30, 0xFE6F},   range{0xFF01, 0xFF60},
                          range{0xFFE0, 0xFFE6},   range{0x16FE0, 0x18AFF}, range{0x1AFF0, 0x1B2FF},
                          range{0x1F300, 0x1F64F}, range{0x1F680, 0x1F6FF}, range{0x1F900, 0x1FAFF},
                          range{0x20000, 0x3FFFD}};

// Combining marks, joiners and variation selectors of the scripts in common use.
constexpr std::array zero{
    range{0x0300, 0x036F}, range{0x0483, 0x0489}, range{0x0591, 0x05BD},   range{0x064B, 0x065F},
    range{0x0E31, 0x0E31}, range{0x0E34, 0x0E3A}, range{0x0E47, 0x0E4E},   range{0x1AB0, 0x1AFF},
    range{0x1DC0, 0x1DFF}, range{0x200B, 0x200F}, range{0x202A, 0x202E},   range{0x2060, 0x2064},
    range{0x20D0, 0x20FF}, range{0x302A, 0x302D}, range{0x3099, 0x309A},   range{0xFE00, 0xFE0F},
    range{0xFE20, 0xFE2F}, range{0xFEFF, 0xFEFF}, range{0x1F3FB, 0x1F3FF}, range{0xE0100, 0xE01EF}};

template <std::size_t N>
bool contains(const std::array<range, N>& ranges, char32_t c) {
  return std::any_of(ranges.begin(), ranges.end(),
                     [c](range r) { return c >= r.first && c <= r.last; });
}

std::size_t width_of(char32_t c) {
  if (c < 0x300) return 1;
  if (contains(zero, c)) return 0;
  return contains(wide, c) ? 2 : 1;
}

// The first character of a text of valid UTF-8, which is taken off.
char32_t take(std::string_view& text, std::string_view& bytes) {
  const std::size_t length = std::max<std::size_t>(utf8_length(text), 1);
  bytes = text.substr(0, length);
  text.remove_prefix(length);
  constexpr std::array<std::uint32_t, 5> mask{0, 0x7F, 0x1F, 0x0F, 0x07};
  char32_t code = static_cast<unsigned char>(bytes[0]) & mask[length];
  for (const char byte : bytes.substr(1))
    code = code << 6 | (static_cast<unsigned char>(byte) & 0x3F);
  return code;
}

bool is_control(char32_t c) { return c < 0x20 || (c >= 0x7F && c < 0xA0); }

void pad(std::ostream& out, std::size_t count) { out << std::string(count, ' '); }

}  // namespace

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  std::string_view bytes;
  while (!text.empty()) width += width_of(take(text, bytes));
  return width;
}

std::string one_line(std::string_view text, std::size_t max_width) {
  const std::string clean = printable(text, text.size() * 3);
  std::string_view rest = clean;
  std::string_view bytes;
  std::string out;
  std::string shorter;  // what leaves room for the "…"
  std::size_t width = 0;
  while (!rest.empty()) {
    const char32_t c = take(rest, bytes);
    width += width_of(c);
    if (width > max_width) return shorter + "…";
    if (is_control(c)) {
      out += ' ';
    } else {
      out += bytes;
    }
    if (width < max_width) shorter = out;
  }
  return out;
}

void text_table::print(std::ostream& out) const {
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    std::size_t width = display_width(columns_[c].title);
    for (const auto& row : rows_) width = std::max(width, display_width(row[c]));
    widths.push_back(width);
  }
  const auto line = [&](const auto& cell_at) {
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const std::string& cell = cell_at(c);
      const std::size_t gap = widths[c] - display_width(cell);
      const bool right = columns_[c].alignment == align::right;
      if (right) pad(out, gap);
      out << cell;
      // No blanks at the end of a line.
      if (c + 1 < columns_.size()) pad(out, (right ? 0 : gap) + 2);
    }
    out << '\n';
  };
  line([&](std::size_t c) -> const std::string& { return columns_[c].title; });
  for (const auto& row : rows_) line([&](std::size_t c) -> const std::string& { return row[c]; });
}

std::string duration_text(double seconds) {
  const auto total = static_cast<std::int64_t>(std::max(0.0, std::floor(seconds)));
  const auto pair = [](std::int64_t big, char big_unit, std::int64_t small, char small_unit) {
    std::string out = std::to_string(big) + big_unit;
    if (small > 0) out += " " + std::to_string(small) + small_unit;
    return out;
  };
  if (total < 60) return std::to_string(total) + "s";
  if (total < 3600) return pair(total / 60, 'm', total % 60, 's');
  if (total < 86400) return pair(total / 3600, 'h', total % 3600 / 60, 'm');
  return pair(total / 86400, 'd', total % 86400 / 3600, 'h');
}

}  // namespace rowrunner
