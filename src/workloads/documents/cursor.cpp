#include "workloads/documents/cursor.hpp"

#include <algorithm>
#include <charconv>

#include "api/parameters.hpp"
#include "common/text.hpp"

namespace rowrunner::documents {

namespace {

/// As to_char writes it: 2026-01-31T23:59:59.123456Z.
bool is_time(std::string_view text) {
  constexpr std::string_view form = "0000-00-00T00:00:00.000000Z";
  return text.size() == form.size() &&
         std::equal(form.begin(), form.end(), text.begin(),
                    [](char f, char c) { return f == '0' ? c >= '0' && c <= '9' : f == c; });
}

}  // namespace

std::string list_cursor::text() const {
  return time + "_" + id + (page > 0 ? "_" + std::to_string(page) : "");
}

std::optional<list_cursor> cursor_of(const api::request& asked) {
  const auto given = api::parameter(asked, "after");
  if (!given) return std::nullopt;
  const api::problem broken(422, "bad_parameter", "after is not `next` of a page");
  const auto first = given->find('_');
  if (first == std::string::npos) throw api::request_error(broken);
  const auto second = given->find('_', first + 1);
  list_cursor out;
  out.time = given->substr(0, first);
  out.id = given->substr(first + 1, second == std::string::npos ? second : second - first - 1);
  if (second != std::string::npos) {
    const auto rest = std::string_view(*given).substr(second + 1);
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), out.page);
    if (error != std::errc{} || end != rest.data() + rest.size() || out.page < 1) {
      throw api::request_error(broken);
    }
  }
  if (!is_time(out.time) || !is_uuid(out.id)) throw api::request_error(broken);
  return out;
}

}  // namespace rowrunner::documents
