#include "common/schema/kind_info.hpp"

#include <algorithm>

namespace rowrunner {

std::string fill(std::string_view text, std::initializer_list<mark> marks) {
  std::string out;
  out.reserve(text.size() + 64);
  while (!text.empty()) {
    const auto* found = marks.end();
    if (text.front() == '{') {
      found = std::find_if(marks.begin(), marks.end(), [&](const mark& m) {
        return text.substr(1, m.name.size()) == m.name &&
               text.substr(std::min(text.size(), m.name.size() + 1)).starts_with('}');
      });
    }
    if (found == marks.end()) {
      const auto next = std::min(text.find('{', 1), text.size());
      out += text.substr(0, next);
      text.remove_prefix(next);
    } else {
      out += found->value;
      text.remove_prefix(found->name.size() + 2);
    }
  }
  return out;
}

std::string quote_name(std::string_view name) {
  std::string out = "\"";
  for (const char c : name) {
    if (c == '"') out += '"';
    out += c;
  }
  return out += '"';
}

std::string quote_literal(std::string_view text) {
  std::string out = "E'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += c;
    out += c;
  }
  return out += '\'';
}

std::string kind_info::bind(const query& statement, std::string_view columns) const {
  const auto literal = quote_literal(table);
  return fill(statement.text, {{"jobs", table}, {"table", literal}, {"columns", columns}});
}

kind_info read_kind_info(const pg::result& kinds, int row) {
  kind_info out;
  out.id = static_cast<int>(kinds.get_int(row, 0));
  out.kind = kinds.get(row, 1);
  out.table = kinds.get(row, 2);
  out.cancelled_status = kinds.get(row, 3);
  out.paused = kinds.get_bool(row, 4);
  out.retention = kinds.get(row, 5);
  out.failed_retention = kinds.get(row, 6);
  return out;
}

}  // namespace rowrunner
