#include "common/pg/array.hpp"

#include <charconv>
#include <cmath>
#include <string_view>

#include "common/pg/error.hpp"

namespace rowrunner::pg {
namespace {

// Every string is quoted, because an unquoted NULL, an empty string, a brace, a comma or a space
// would each mean something else, and quotes around a plain word do no harm.
void append_quoted(std::string& out, std::string_view item) {
  out += '"';
  for (const char c : item) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  out += '"';
}

void append(std::string& out, const std::string& item) { append_quoted(out, item); }

void append(std::string& out, const std::optional<std::string>& item) {
  if (item) {
    append_quoted(out, *item);
  } else {
    out += "NULL";
  }
}

void append(std::string& out, std::int64_t item) { out += std::to_string(item); }

void append(std::string& out, bool item) { out += item ? 't' : 'f'; }

void append(std::string& out, double item) {
  if (std::isnan(item)) {
    out += "NaN";
  } else if (std::isinf(item)) {
    out += item > 0 ? "Infinity" : "-Infinity";
  } else {
    // The shortest text that reads back as the same number, whatever the locale.
    char digits[32];
    const auto end = std::to_chars(digits, digits + sizeof digits, item).ptr;
    out.append(digits, end);
  }
}

template <typename Items>
std::string render(const Items& items) {
  std::string out = "{";
  for (const auto& item : items) {
    if (out.size() > 1) out += ',';
    append(out, item);
  }
  return out += '}';
}

}  // namespace

std::string array(const std::vector<std::string>& items) { return render(items); }
std::string array(const std::vector<std::optional<std::string>>& items) { return render(items); }
std::string array(const std::vector<std::int64_t>& items) { return render(items); }
std::string array(const std::vector<double>& items) { return render(items); }

std::string array(const std::vector<bool>& items) {
  // std::vector<bool> hands out proxies, which would convert to any of the overloads above.
  std::string out = "{";
  for (const bool item : items) {
    if (out.size() > 1) out += ',';
    append(out, item);
  }
  return out += '}';
}

std::vector<std::int64_t> read_int_array(std::string_view text) {
  std::vector<std::int64_t> items;
  if (text.empty()) return items;
  const auto bad = [&] { return error("42804", "not an array of numbers: " + std::string(text)); };
  if (text.size() < 2 || text.front() != '{' || text.back() != '}') throw bad();
  const char* at = text.data() + 1;
  const char* const end = text.data() + text.size() - 1;
  while (at != end) {
    const auto [next, failure] = std::from_chars(at, end, items.emplace_back());
    if (failure != std::errc{} || (next != end && *next != ',')) throw bad();
    at = next == end ? end : next + 1;
  }
  return items;
}

}  // namespace rowrunner::pg
