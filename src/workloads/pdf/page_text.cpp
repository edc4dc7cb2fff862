#include "workloads/pdf/page_text.hpp"

#include <algorithm>
#include <vector>

#include "common/text.hpp"

namespace rowrunner::pdf {
namespace {

/// The first character; a broken byte is one of its own.
std::string_view next(std::string_view text) {
  return text.substr(0, std::max<std::size_t>(1, utf8_length(text)));
}

char32_t code_of(std::string_view character) {
  const auto first = static_cast<unsigned char>(character.front());
  if (character.size() == 1) return first;
  char32_t code = first & (0xFFU >> (character.size() + 1));
  for (const char each : character.substr(1)) {
    code = (code << 6) | (static_cast<unsigned char>(each) & 0x3FU);
  }
  return code;
}

bool is_space(char32_t code) {
  return code == ' ' || (code >= '\t' && code <= '\r') || code == 0xA0 || code == 0x3000 ||
         (code >= 0x2000 && code <= 0x200B) || code == 0x2028 || code == 0x2029;
}

bool is_japanese(char32_t code) {
  return (code >= 0x3001 && code <= 0x30FF) ||  // punctuation, hiragana, katakana
         (code >= 0x31F0 && code <= 0x31FF) ||  // small katakana
         (code >= 0x3400 && code <= 0x4DBF) || (code >= 0x4E00 && code <= 0x9FFF) ||  // kanji
         (code >= 0xF900 && code <= 0xFAFF) || (code >= 0xFF01 && code <= 0xFF60) ||  // wide forms
         (code >= 0xFF61 && code <= 0xFF9F) ||  // narrow katakana
         (code >= 0x20000 && code <= 0x323AF);
}

template <typename Each>
void for_each_character(std::string_view text, Each each) {
  while (!text.empty()) {
    const auto character = next(text);
    each(character, code_of(character));
    text.remove_prefix(character.size());
  }
}

}  // namespace

std::int64_t count_words(std::string_view text) {
  std::int64_t count = 0;
  bool inside = false;
  for_each_character(text, [&](std::string_view, char32_t code) {
    const bool space = is_space(code);
    if (!space && !inside) ++count;
    inside = !space;
  });
  return count;
}

std::int64_t count_characters(std::string_view text) {
  std::int64_t count = 0;
  for_each_character(text, [&](std::string_view, char32_t code) { count += !is_space(code); });
  return count;
}

std::string without_japanese_spaces(std::string_view text) {
  std::string out;
  std::string spaces;
  char32_t before = 0;
  for_each_character(text, [&](std::string_view character, char32_t code) {
    if (code == ' ') {
      spaces += character;
      return;
    }
    if (!is_japanese(before) || !is_japanese(code)) out += spaces;
    spaces.clear();
    out += character;
    before = code;
  });
  return out + spaces;
}

std::string tidy(std::string_view text) {
  std::string out;
  std::size_t empty_lines = 0;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    auto line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    line = line.substr(0, line.find_last_not_of(" \t\v\f\r") + 1);
    if (line.empty()) {
      ++empty_lines;
      continue;
    }
    if (!out.empty()) out += empty_lines > 0 ? "\n\n" : "\n";
    out += line;
    empty_lines = 0;
  }
  return out;
}

}  // namespace rowrunner::pdf
