#include "workloads/spot_images/names.hpp"

#include <utf8proc.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "common/errors.hpp"
#include "common/text.hpp"

namespace rowrunner::spot_images {
namespace {

struct freeing {
  void operator()(utf8proc_uint8_t* text) const { std::free(text); }
};

std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) >> 6) != 2; }));
}

bad_input too_long(std::string_view what, std::size_t limit) {
  return bad_input(std::string(what) + " is longer than " + std::to_string(limit) + " characters");
}

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

std::string checked_key(std::string_view text, std::string_view what, std::size_t limit) {
  std::string out = nfc_within(text, what, limit);
  if (out.empty()) throw bad_input(std::string(what) + " is empty");
  // A key is shown in terminals and stands in addresses.
  if (std::any_of(out.begin(), out.end(), is_control)) {
    throw bad_input(std::string(what) + " contains a control character");
  }
  return out;
}

}  // namespace

std::string nfc(std::string_view text, std::string_view what) {
  check_text(what, text);
  utf8proc_uint8_t* made = nullptr;
  const auto length =
      utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                   static_cast<utf8proc_ssize_t>(text.size()), &made,
                   static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE));
  const std::unique_ptr<utf8proc_uint8_t, freeing> owner(made);
  if (length < 0) throw bad_input(std::string(what) + ": " + utf8proc_errmsg(length));
  return {reinterpret_cast<const char*>(made), static_cast<std::size_t>(length)};
}

std::string nfc_within(std::string_view text, std::string_view what, std::size_t max_characters) {
  // Composing joins a handful of characters at most, so a text that is far too long need not be
  // normalised to know it.
  check_text(what, text);
  if (characters(text) > 8 * max_characters) throw too_long(what, max_characters);
  std::string out = nfc(text, what);
  if (characters(out) > max_characters) throw too_long(what, max_characters);
  return out;
}

std::string checked_plan_id(std::string_view text, std::string_view what) {
  return checked_key(text, what, max_plan_id);
}

std::string checked_spot_name(std::string_view text, std::string_view what) {
  return checked_key(text, what, max_spot_name);
}

}  // namespace rowrunner::spot_images
