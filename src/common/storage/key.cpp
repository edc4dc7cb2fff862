#include "common/storage/key.hpp"

#include <rowrunner/bad_input.hpp>

#include "common/http/url.hpp"
#include "common/text.hpp"

namespace rowrunner::storage {
namespace {

constexpr std::size_t longest_key = 900;
constexpr std::size_t longest_segment = 255;  // of the usual file systems

[[noreturn]] void refuse(const std::string& why) { throw bad_input("storage key: " + why); }

void check_characters(std::string_view key) {
  while (!key.empty()) {
    const std::size_t length = utf8_length(key);
    if (length == 0) refuse("broken UTF-8");
    const auto first = static_cast<unsigned char>(key[0]);
    // U+0080 to U+009F are C2 80 to C2 9F.
    const bool second_set =
        length == 2 && first == 0xC2 && static_cast<unsigned char>(key[1]) < 0xA0;
    if (first < 0x20 || first == 0x7F || second_set) refuse("a control character");
    if (first == '\\') refuse("a backslash");
    key.remove_prefix(length);
  }
}

}  // namespace

std::vector<std::string> segments(std::string_view key) {
  std::vector<std::string> out;
  for (;;) {
    const auto slash = key.find('/');
    out.emplace_back(key.substr(0, slash));
    if (slash == std::string_view::npos) return out;
    key.remove_prefix(slash + 1);
  }
}

void check_key(std::string_view key) {
  if (key.empty()) refuse("it is empty");
  if (key.size() > longest_key) {
    refuse(std::to_string(key.size()) + " bytes; at most " + std::to_string(longest_key));
  }
  check_characters(key);
  if (key.front() == '/') refuse("it begins with /");
  for (const auto& each : segments(key)) {
    if (each.empty()) refuse("an empty segment in " + std::string(key));
    if (each == "." || each == "..") refuse("a segment " + each + " in " + std::string(key));
    if (each.size() > longest_segment) {
      refuse("a segment of " + std::to_string(each.size()) + " bytes; at most " +
             std::to_string(longest_segment));
    }
  }
}

std::string url_path(std::string_view key) {
  std::string out;
  for (const auto& each : segments(key)) {
    if (!out.empty()) out += '/';
    out += http::percent_encode(each);
  }
  return out;
}

}  // namespace rowrunner::storage
