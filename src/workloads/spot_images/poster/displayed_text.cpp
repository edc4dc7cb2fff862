#include <glib.h>

#include <algorithm>
#include <memory>

#include "workloads/spot_images/poster/title.hpp"

namespace rowrunner::spot_images {
namespace {

constexpr std::size_t longest = 240;

bool is_gap(gunichar letter) {
  return g_unichar_isspace(letter) || letter < 0x20 || (letter >= 0x7f && letter < 0xa0) ||
         letter == 0x2028 || letter == 0x2029;
}

/// Characters that would turn the rest of the line around, and pictographs, which few machines can
/// draw and which would break the colours of the poster where they can.
bool is_left_out(gunichar letter) {
  auto in = [&](gunichar from, gunichar to) { return letter >= from && letter <= to; };
  return in(0x200b, 0x200f) || in(0x202a, 0x202e) || in(0x2066, 0x2069) || in(0xfe00, 0xfe0f) ||
         letter == 0xfeff || in(0x1f000, 0x1faff) || in(0xe0000, 0xe0fff) || in(0xe000, 0xf8ff);
}

void append(std::string& to, gunichar letter) {
  char bytes[6];
  to.append(bytes, static_cast<std::size_t>(g_unichar_to_utf8(letter, bytes)));
}

}  // namespace

std::string displayed_text(std::string_view raw) {
  // One character has at most four bytes; a name of megabytes is not worth a copy.
  raw = raw.substr(0, longest * 16);
  std::unique_ptr<char, decltype(&g_free)> valid(
      g_utf8_make_valid(raw.data(), static_cast<gssize>(raw.size())), &g_free);
  std::string shown;
  std::size_t count = 0;
  bool gap = false;
  // A NUL in the text is one of the bytes that make_valid replaces, so it cannot end this early.
  for (const char* at = valid.get(); *at && count < longest; at = g_utf8_next_char(at)) {
    gunichar letter = g_utf8_get_char(at);
    if (is_left_out(letter)) continue;
    if (is_gap(letter)) {
      gap = !shown.empty();
      continue;
    }
    if (gap) append(shown, ' ');
    gap = false;
    append(shown, letter);
    ++count;
  }
  return shown;
}

}  // namespace rowrunner::spot_images
