#include "common/exposition.hpp"

#include <charconv>

#include "common/text.hpp"

namespace rowrunner {
namespace {

constexpr std::size_t longest_label = 1000;

std::string escaped(std::string_view text, bool quotes) {
  std::string out;
  for (const char c : text) {
    if (c == '\n') {
      out += "\\n";
      continue;
    }
    if (c == '\\' || (quotes && c == '"')) out += '\\';
    out += c;
  }
  return out;
}

}  // namespace

void exposition::gauge(std::string_view name, std::string_view help) {
  name_ = name;
  text_ += "# HELP " + name_ + " " + escaped(help, false) + "\n# TYPE " + name_ + " gauge\n";
}

void exposition::sample(const labels& of, double value) {
  text_ += name_;
  char before = '{';
  for (const auto& [name, label] : of) {
    text_ += before;
    text_ += std::string(name) + "=\"" + escaped(printable(label, longest_label), true) + '"';
    before = ',';
  }
  if (!of.empty()) text_ += '}';
  char digits[400];  // the longest number there is, written out
  const auto end =
      std::to_chars(digits, digits + sizeof digits, value, std::chars_format::fixed).ptr;
  text_ += ' ' + std::string(digits, end) + '\n';
}

}  // namespace rowrunner
