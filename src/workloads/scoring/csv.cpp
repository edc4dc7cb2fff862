#include "workloads/scoring/csv.hpp"

#include <csv.h>

#include <algorithm>
#include <charconv>
#include <exception>
#include <optional>
#include <rowrunner/bad_input.hpp>

#include "common/text.hpp"

namespace rowrunner::scoring {
namespace {

/// The longest thing that must be seen at the beginning as a whole: a BOM and "sep=;" CRLF.
constexpr std::size_t longest_opening = 10;

int no_space(unsigned char) { return 0; }

}  // namespace

/// libcsv calls back from C, so nothing may be thrown there: the first problem is kept, and thrown
/// when the parser has returned.
struct csv_reader::state {
  state(row_function to, csv_limits allowed) : on_row(std::move(to)), limits(allowed) {
    csv_init(&parser, CSV_STRICT | CSV_STRICT_FINI | CSV_REPALL_NL);
    // Blanks around a cell belong to it.
    csv_set_space_func(&parser, no_space);
  }
  ~state() { csv_free(&parser); }
  state(const state&) = delete;
  state& operator=(const state&) = delete;

  std::string row_name() const { return "row " + std::to_string(rows + blank_rows + 1); }

  void refuse(const std::string& what) {
    if (!problem) problem = std::make_exception_ptr(bad_input(what));
  }

  void add_cell(std::string_view text) {
    after_cr = false;
    if (problem) return;
    if (cells.size() == limits.columns) {
      return refuse(row_name() + " has more than " + std::to_string(limits.columns) + " columns");
    }
    if (text.find('\0') != std::string_view::npos) {
      return refuse(row_name() + " has a NUL character in column " +
                    std::to_string(cells.size() + 1));
    }
    if (!valid_utf8(text)) {
      return refuse(row_name() + " is not UTF-8 in column " + std::to_string(cells.size() + 1));
    }
    cells.emplace_back(text);
  }

  /// `end` is CR, LF, or -1 at the end of a file that does not end with either.
  void end_row(int end) {
    const bool second_half = end == '\n' && after_cr && cells.empty();
    after_cr = end == '\r';
    if (problem || second_half) return;
    if (cells.empty()) {
      ++blank_rows;
      return;
    }
    give_blank_rows();
    give_row();
  }

  void give_blank_rows() {
    if (rows == 0 && blank_rows > 0)
      return refuse("the first row, which names the columns, is blank");
    std::vector<std::string> row = std::move(cells);
    for (auto left = std::exchange(blank_rows, 0); left > 0 && !problem; --left) {
      cells.assign(width, "");
      give_row();
    }
    cells = std::move(row);
  }

  void give_row() {
    if (problem) return;
    if (rows == 0) width = cells.size();
    if (cells.size() != width) {
      return refuse(row_name() + " has " + std::to_string(cells.size()) +
                    " cells, but the header has " + std::to_string(width));
    }
    if (rows > limits.rows) {
      return refuse("the sheet has more than " + std::to_string(limits.rows) + " rows");
    }
    try {
      on_row(rows, cells);
    } catch (...) {
      problem = std::current_exception();
    }
    ++rows;
    cells.clear();
  }

  void parse(std::string_view piece) {
    // The parser grows its buffer with a cell, so it gets little at a time.
    constexpr std::size_t at_once = 64 * 1024;
    while (!piece.empty()) {
      const auto part = piece.substr(0, at_once);
      piece.remove_prefix(part.size());
      const auto read = csv_parse(&parser, part.data(), part.size(), on_cell, on_row_end, this);
      if (problem) std::rethrow_exception(problem);
      if (read != part.size()) {
        throw bad_input(row_name() + " is no CSV: " + csv_strerror(csv_error(&parser)) +
                        " (a quote inside of a cell must be doubled, and the cell quoted)");
      }
      if (parser.entry_pos > limits.cell_bytes) {
        throw bad_input(row_name() + " has a cell of more than " +
                        std::to_string(limits.cell_bytes / 1024) +
                        " KiB (or a quote that is not closed)");
      }
    }
  }

  /// Leaves out a BOM and the line that tells Excel the delimiter.
  void open() {
    std::string_view text = opening;
    if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff")) {
      throw bad_input("the sheet is UTF-16: save it as CSV UTF-8");
    }
    had_bom = text.starts_with(csv_bom);
    if (had_bom) text.remove_prefix(csv_bom.size());
    if (text.size() >= 6 && text.starts_with("sep=") && (text[5] == '\r' || text[5] == '\n')) {
      csv_set_delim(&parser, static_cast<unsigned char>(text[4]));
      text.remove_prefix(text.substr(5).starts_with("\r\n") ? 7 : 6);
    }
    opened = true;
    parse(text);
  }

  static void on_cell(void* text, std::size_t size, void* self) {
    static_cast<state*>(self)->add_cell({static_cast<const char*>(text), size});
  }
  static void on_row_end(int end, void* self) { static_cast<state*>(self)->end_row(end); }

  const row_function on_row;
  const csv_limits limits;
  csv_parser parser{};
  std::string opening;
  bool opened = false;
  bool had_bom = false;
  std::vector<std::string> cells;
  std::size_t width = 0;
  std::size_t rows = 0;
  std::size_t blank_rows = 0;
  bool after_cr = false;
  std::exception_ptr problem;
};

csv_reader::csv_reader(row_function on_row, csv_limits limits)
    : state_(std::make_unique<state>(std::move(on_row), limits)) {}

csv_reader::~csv_reader() = default;

void csv_reader::add(std::string_view piece) {
  if (!state_->opened) {
    const auto part =
        piece.substr(0, longest_opening - std::min(longest_opening, state_->opening.size()));
    state_->opening += part;
    piece.remove_prefix(part.size());
    if (state_->opening.size() < longest_opening) return;
    state_->open();
  }
  state_->parse(piece);
}

void csv_reader::end() {
  if (!state_->opened) state_->open();
  const int failed = csv_fini(&state_->parser, state::on_cell, state::on_row_end, state_.get());
  if (state_->problem) std::rethrow_exception(state_->problem);
  if (failed != 0) throw bad_input(state_->row_name() + " has a quote that is not closed");
  if (state_->rows == 0) throw bad_input("the sheet is empty: its first row must name the columns");
}

std::size_t csv_reader::rows() const noexcept { return state_->rows; }

bool csv_reader::had_bom() const noexcept { return state_->had_bom; }

namespace {

bool is_number(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  // from_chars reads inf and nan, too.
  if (text.find_first_not_of("+-.0123456789eE") != std::string_view::npos) return false;
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size();
}

bool runs_as_formula(std::string_view text) {
  constexpr std::string_view starts = "=+-@\t\r\n";
  return !text.empty() && starts.find(text.front()) != std::string_view::npos && !is_number(text);
}

}  // namespace

std::string csv_cell(std::string_view text) {
  const bool defused = runs_as_formula(text);
  if (text.find_first_of(",;\t\"\r\n") == std::string_view::npos) {
    return (defused ? "'" : "") + std::string(text);
  }
  std::string out = defused ? "\"'" : "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

std::string csv_number(double value) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, value).ptr;
  return {text, end};
}

std::string csv_row(std::span<const std::string> cells) {
  std::string out;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i > 0) out += ',';
    out += csv_cell(cells[i]);
  }
  return out + "\r\n";
}

}  // namespace rowrunner::scoring
