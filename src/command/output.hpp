#pragma once

#include <cstddef>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

namespace rowrunner {

/// How many columns of a terminal a text takes: two for wide characters (CJK, emoji), none for
/// combining ones.
std::size_t display_width(std::string_view text);

/// Fit to stand in one line of a terminal: control characters, which could do more than print,
/// become blanks, and what is wider than `max_width` ends in "…".
std::string one_line(std::string_view text, std::size_t max_width);

/// Columns for people. Cells must be single lines.
class text_table {
 public:
  enum class align { left, right };
  struct column {
    std::string title;
    align alignment = align::left;
  };

  explicit text_table(std::vector<column> columns) : columns_(std::move(columns)) {}

  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  bool empty() const noexcept { return rows_.empty(); }
  void print(std::ostream& out) const;

 private:
  std::vector<column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

/// "3s", "4m 10s", "2h 5m", "3d 4h".
std::string duration_text(double seconds);

}  // namespace rowrunner
