#include "common/text.hpp"

#include <cstdint>

#include "common/errors.hpp"

namespace rowrunner {
namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";

struct shape {
  std::size_t length;
  std::uint32_t first_bits;
  std::uint32_t smallest;
};

// What the first byte says about its character; length 0 if no character begins with it.
shape shape_of(unsigned char first) {
  if (first < 0x80) return {1, first, 0};
  if (first >= 0xC2 && first <= 0xDF) return {2, first & 0x1Fu, 0x80};
  if (first >= 0xE0 && first <= 0xEF) return {3, first & 0x0Fu, 0x800};
  if (first >= 0xF0 && first <= 0xF4) return {4, first & 0x07u, 0x10000};
  return {0, 0, 0};
}

// Of one character that is known to be whole; 0 for an empty text.
std::uint32_t code_of(std::string_view character) {
  if (character.empty()) return 0;
  std::uint32_t code = shape_of(static_cast<unsigned char>(character.front())).first_bits;
  for (const char byte : character.substr(1)) {
    code = code << 6 | (static_cast<unsigned char>(byte) & 0x3Fu);
  }
  return code;
}

// Besides control characters: the soft hyphen, Arabic letter mark, zero width and directional
// characters, separators of lines, the byte order mark, and tags.
bool is_hidden(std::uint32_t c) {
  return c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0xAD || c == 0x061C || c == 0x180E ||
         (c >= 0x200B && c <= 0x200F) || (c >= 0x2028 && c <= 0x202E) ||
         (c >= 0x2060 && c <= 0x206F) || c == 0xFEFF || (c >= 0xFFF9 && c <= 0xFFFB) ||
         (c >= 0xE0000 && c <= 0xE007F);
}

std::string escaped_unit(std::uint32_t unit) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string out = "\\u";
  for (const int shift : {12, 8, 4, 0}) out += digits[unit >> shift & 15u];
  return out;
}

// Beyond U+FFFF JSON writes two surrogates.
std::string escaped(std::uint32_t code) {
  if (code < 0x10000) return escaped_unit(code);
  const std::uint32_t rest = code - 0x10000;
  return escaped_unit(0xD800 + (rest >> 10)) + escaped_unit(0xDC00 + (rest & 0x3FFu));
}

}  // namespace

std::size_t utf8_length(std::string_view text) {
  if (text.empty()) return 0;
  const shape s = shape_of(static_cast<unsigned char>(text.front()));
  if (s.length == 0 || s.length > text.size()) return 0;
  std::uint32_t code = s.first_bits;
  for (std::size_t i = 1; i < s.length; ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte & 0xC0u) != 0x80u) return 0;
    code = code << 6 | (byte & 0x3Fu);
  }
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  return code < s.smallest || code > 0x10FFFF || surrogate ? 0 : s.length;
}

bool valid_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

void check_text(std::string_view what, std::string_view value) {
  for (std::size_t at = 0; at < value.size();) {
    const std::size_t length = utf8_length(value.substr(at));
    if (length == 0) {
      throw bad_input(std::string(what) + ": broken UTF-8 at byte " + std::to_string(at));
    }
    if (value[at] == '\0') {
      throw bad_input(std::string(what) + ": NUL character at byte " + std::to_string(at) +
                      ", which PostgreSQL cannot store in a text");
    }
    at += length;
  }
}

std::string printable(std::string_view text, std::size_t max_bytes) {
  std::string out;
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    const bool good = length != 0 && text.front() != '\0';
    const std::string_view piece = good ? text.substr(0, length) : replacement;
    if (out.size() + piece.size() > max_bytes) break;
    out += piece;
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return out;
}

std::string visible(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    const std::uint32_t code = code_of(text.substr(0, length));
    if (length == 0) {
      out += replacement;
    } else if (is_hidden(code)) {
      out += escaped(code);
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return out;
}

bool is_uuid(std::string_view text) {
  if (text.size() != 36) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
    const bool hex = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
    if (dash ? c != '-' : !hex) return false;
  }
  return true;
}

}  // namespace rowrunner
