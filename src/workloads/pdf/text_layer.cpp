#include "workloads/pdf/text_layer.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>

#include "common/text.hpp"

namespace rowrunner::pdf {
namespace {

/// PDF knows no exponents.
std::string number(double value) {
  std::array<char, 64> text{};
  const int length = std::snprintf(text.data(), text.size(), "%.3f", value);
  return std::string(text.data(), static_cast<std::size_t>(length));
}

void append_unit(std::string& out, std::uint32_t unit) {
  std::array<char, 8> text{};
  std::snprintf(text.data(), text.size(), "%04X", unit & 0xFFFFU);
  out += text.data();
}

void append_operator(std::string& out, std::initializer_list<double> operands, const char* name) {
  for (const double each : operands) out += number(each) + ' ';
  out += name;
  out += '\n';
}

}  // namespace

std::array<double, 6> seen_to_file(const box& crop, int rotation) {
  switch (((rotation % 360) + 360) % 360) {
    case 90:
      return {0, 1, -1, 0, crop.right, crop.bottom};
    case 180:
      return {-1, 0, 0, -1, crop.right, crop.top};
    case 270:
      return {0, -1, 1, 0, crop.left, crop.top};
    default:
      return {1, 0, 0, 1, crop.left, crop.bottom};
  }
}

std::string hex_utf16(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const auto length = utf8_length(text);
    if (length == 0) {
      append_unit(out, 0xFFFD);
      text.remove_prefix(1);
      continue;
    }
    const auto first = static_cast<unsigned char>(text.front());
    std::uint32_t code = length == 1 ? first : first & (0xFFU >> (length + 1));
    for (std::size_t i = 1; i < length; ++i) {
      code = (code << 6) | (static_cast<unsigned char>(text[i]) & 0x3FU);
    }
    text.remove_prefix(length);
    if (code >= 0x10000) {
      append_unit(out, 0xD800 + ((code - 0x10000) >> 10));
      append_unit(out, 0xDC00 + ((code - 0x10000) & 0x3FFU));
    } else {
      append_unit(out, code);
    }
  }
  return out;
}

std::string text_layer(const page_reading& reading, const box& crop, int rotation,
                       const std::string& font) {
  const double scale = 72.0 / std::max(1, reading.dpi);
  const double page_height = reading.height * scale;
  const auto turn = seen_to_file(crop, rotation);
  std::string out = "q\n";
  append_operator(out, {turn[0], turn[1], turn[2], turn[3], turn[4], turn[5]}, "cm");
  out += "BT\n3 Tr\n";
  for (const auto& each : reading.words) {
    const auto text = hex_utf16(each.text);
    const double size = (each.bottom - each.top) * scale;
    const double width = (each.right - each.left) * scale;
    if (text.empty() || size <= 0 || width <= 0) continue;
    const double natural = size / 2 * static_cast<double>(text.size()) / 4;
    out += font + ' ';
    append_operator(out, {size}, "Tf");
    append_operator(out, {100 * width / natural}, "Tz");
    append_operator(out, {1, 0, 0, 1, each.left * scale, page_height - each.bottom * scale}, "Tm");
    out += '<' + text + "> Tj\n";
  }
  return out + "ET\nQ\n";
}

}  // namespace rowrunner::pdf
