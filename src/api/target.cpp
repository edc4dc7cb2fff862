#include "api/target.hpp"

#include <algorithm>

#include "common/text.hpp"

namespace rowrunner::api {
namespace {

int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool storable(std::string_view text) {
  return valid_utf8(text) && std::none_of(text.begin(), text.end(),
                                          [](unsigned char c) { return c < 0x20 || c == 0x7F; });
}

std::optional<std::string> decode(std::string_view text, bool plus_is_blank) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+' && plus_is_blank) {
      out += ' ';
    } else if (text[i] != '%') {
      out += text[i];
    } else {
      if (i + 2 >= text.size()) return std::nullopt;
      const int high = digit(text[i + 1]), low = digit(text[i + 2]);
      if (high < 0 || low < 0) return std::nullopt;
      out += static_cast<char>(high * 16 + low);
      i += 2;
    }
  }
  if (!storable(out)) return std::nullopt;
  return out;
}

std::vector<std::string_view> split(std::string_view text, char by) {
  std::vector<std::string_view> out;
  for (;;) {
    const auto end = text.find(by);
    out.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return out;
    text.remove_prefix(end + 1);
  }
}

bool parse_query(std::string_view text, text_map& out) {
  if (text.empty()) return true;
  for (const auto part : split(text, '&')) {
    const auto equals = std::min(part.find('='), part.size());
    const auto name = decode(part.substr(0, equals), true);
    const auto value = decode(part.substr(std::min(equals + 1, part.size())), true);
    if (!name || !value) return false;
    // The first of several: no two readers should see different ones.
    out.emplace(*name, *value);
  }
  return true;
}

// "http://host/path", as clients ask a proxy; servers must take it too. The host ends also at a
// query without a path, in which a slash begins nothing. Nothing if there is no host.
std::optional<std::string> without_authority(std::string_view text) {
  constexpr std::string_view scheme = "http://";
  if (!text.starts_with(scheme)) return std::string(text);
  text.remove_prefix(scheme.size());
  const auto end = std::min(text.find_first_of("/?"), text.size());
  if (end == 0) return std::nullopt;
  text.remove_prefix(end);
  return (text.starts_with('/') ? "" : "/") + std::string(text);
}

}  // namespace

std::optional<target> parse_target(std::string_view whole) {
  const auto rest = without_authority(whole);
  if (!rest) return std::nullopt;
  const std::string_view text = *rest;
  if (!text.starts_with('/') || text.find('#') != std::string_view::npos) return std::nullopt;
  const auto question = std::min(text.find('?'), text.size());
  target out;
  out.path = text.substr(0, question);
  for (const auto segment : split(std::string_view(out.path).substr(1), '/')) {
    auto decoded = decode(segment, false);
    if (!decoded) return std::nullopt;
    out.segments.push_back(std::move(*decoded));
  }
  if (!parse_query(text.substr(std::min(question + 1, text.size())), out.query)) {
    return std::nullopt;
  }
  return out;
}

std::optional<text_map> match_path(std::string_view pattern,
                                   const std::vector<std::string>& segments) {
  const auto wanted = split(pattern.substr(1), '/');
  if (wanted.size() != segments.size()) return std::nullopt;
  text_map out;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const auto part = wanted[i];
    if (part.starts_with('{') && part.ends_with('}')) {
      if (segments[i].empty()) return std::nullopt;
      out.emplace(part.substr(1, part.size() - 2), segments[i]);
    } else if (part != segments[i]) {
      return std::nullopt;
    }
  }
  return out;
}

}  // namespace rowrunner::api
