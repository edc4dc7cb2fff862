#include "common/http/message.hpp"

#include <algorithm>
#include <charconv>
#include <ctime>

namespace rowrunner::http {
namespace {

// A server that names more than this has made a mistake.
constexpr std::chrono::hours longest_wait{24 * 7};

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool same_name(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lower(x) == lower(y); });
}

std::string_view trim(std::string_view text) {
  const auto from = text.find_first_not_of(" \t");
  if (from == std::string_view::npos) return {};
  return text.substr(from, text.find_last_not_of(" \t") - from + 1);
}

// Any of the three forms of RFC 9110, which are all in UTC and in English: strptime reads English
// names, as programs start in the C locale and this one never leaves it.
std::optional<std::chrono::system_clock::time_point> parse_date(const std::string& text) {
  for (const char* form :
       {"%a, %d %b %Y %H:%M:%S GMT", "%A, %d-%b-%y %H:%M:%S GMT", "%a %b %d %H:%M:%S %Y"}) {
    std::tm parts{};
    const char* end = strptime(text.c_str(), form, &parts);
    if (end != nullptr && *end == '\0') {
      return std::chrono::system_clock::from_time_t(timegm(&parts));
    }
  }
  return std::nullopt;
}

}  // namespace

void header_list::add(std::string name, std::string value) {
  fields_.emplace_back(std::move(name), std::move(value));
}

void header_list::set(std::string name, std::string value) {
  erase(name);
  add(std::move(name), std::move(value));
}

void header_list::erase(std::string_view name) {
  std::erase_if(fields_, [&](const field& each) { return same_name(each.first, name); });
}

std::optional<std::string> header_list::get(std::string_view name) const {
  const auto found = std::find_if(fields_.begin(), fields_.end(),
                                  [&](const field& each) { return same_name(each.first, name); });
  if (found == fields_.end()) return std::nullopt;
  return found->second;
}

bool header_list::contains(std::string_view name) const { return get(name).has_value(); }

std::optional<std::chrono::milliseconds> retry_after(const response& answer,
                                                     std::chrono::system_clock::time_point now) {
  using std::chrono::milliseconds;
  const auto value = answer.headers.get("Retry-After");
  if (!value) return std::nullopt;
  const std::string text(trim(*value));
  const bool digits = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
  if (digits) {
    // Too many digits for a number are also too many for us to wait.
    std::chrono::seconds::rep seconds = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), seconds);
    const bool sane = read.ec == std::errc{} && std::chrono::seconds(seconds) < longest_wait;
    return sane ? milliseconds(std::chrono::seconds(seconds)) : milliseconds(longest_wait);
  }
  const auto date = parse_date(text);
  if (!date) return std::nullopt;
  const auto wait = std::chrono::ceil<milliseconds>(*date - now);
  return std::clamp(wait, milliseconds(0), milliseconds(longest_wait));
}

}  // namespace rowrunner::http
