#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rowrunner::scoring {

struct csv_limits {
  std::size_t columns = 1'000;
  std::size_t cell_bytes = 256 * 1024;
  std::size_t rows = 10'000'000;
};

inline constexpr std::string_view csv_bom = "\xef\xbb\xbf";

/// Reads a CSV file piece by piece (RFC 4180; a BOM, CRLF, LF or CR, and Excel's first line "sep=;"
/// are understood) and hands out its rows, the header too. All rows must be as long as the header;
/// a blank line is a row of empty cells, blank lines at the end are none. Throws bad_input, which
/// names the row as a spreadsheet does, from 1.
class csv_reader {
 public:
  /// The row's number, from 0, and its cells, which may be moved from.
  using row_function = std::function<void(std::size_t, std::vector<std::string>&)>;

  explicit csv_reader(row_function on_row, csv_limits limits = {});
  ~csv_reader();
  csv_reader(const csv_reader&) = delete;
  csv_reader& operator=(const csv_reader&) = delete;

  void add(std::string_view piece);
  void end();
  /// Rows so far, the header included.
  std::size_t rows() const noexcept;
  /// The file began with a byte order mark.
  bool had_bom() const noexcept;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

/// A cell as CSV, in quotes if it has what any spreadsheet takes for a delimiter. Text that a
/// spreadsheet would run as a formula gets a ' in front; numbers do not.
std::string csv_cell(std::string_view text);
/// The shortest text that is read as the same number.
std::string csv_number(double value);

/// A row, with CRLF.
std::string csv_row(std::span<const std::string> cells);

}  // namespace rowrunner::scoring
