#include "common/pg/result.hpp"

#include <charconv>
#include <stdexcept>
#include <string>

#include "common/pg/error.hpp"
#include "common/uuid.hpp"

namespace rowrunner::pg {
namespace {

// A mismatch between the SQL and the code that reads it, so it reports as a server's datatype
// mismatch would.
[[noreturn]] void mismatch(int column, std::string_view value, const char* wanted) {
  throw error("42804", "column " + std::to_string(column) + " holds '" + std::string(value) +
                           "', which is not " + wanted);
}

/// A smallint, integer or bigint as it travels: big endian, and negative numbers by their two's
/// complement.
std::int64_t read_binary(std::string_view bytes) {
  const bool negative = (static_cast<unsigned char>(bytes.front()) & 0x80U) != 0;
  std::uint64_t number = negative ? ~std::uint64_t{0} : 0;
  for (const char each : bytes) number = number << 8 | static_cast<unsigned char>(each);
  return static_cast<std::int64_t>(number);
}

}  // namespace

// libpq answers an out-of-range field with a warning and a null pointer, which is too quiet.
void result::require(int row, int column) const {
  if (row >= 0 && row < rows() && column >= 0 && column < columns()) return;
  throw std::out_of_range("no field at row " + std::to_string(row) + ", column " +
                          std::to_string(column) + " of a result of " + std::to_string(rows()) +
                          " rows and " + std::to_string(columns()) + " columns");
}

std::string_view result::get(int row, int column) const {
  require(row, column);
  return {PQgetvalue(raw_.get(), row, column),
          static_cast<std::size_t>(PQgetlength(raw_.get(), row, column))};
}

bool result::is_null(int row, int column) const {
  require(row, column);
  return PQgetisnull(raw_.get(), row, column) == 1;
}

std::int64_t result::get_int(int row, int column) const {
  const std::string_view text = get(row, column);
  if (PQfformat(raw_.get(), column) == 1) {
    const bool fits = text.size() == 2 || text.size() == 4 || text.size() == 8;
    if (!fits) mismatch(column, std::to_string(text.size()) + " bytes", "a binary integer");
    return read_binary(text);
  }
  std::int64_t number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure != std::errc{} || end != text.data() + text.size()) {
    mismatch(column, text, "an integer");
  }
  return number;
}

bool result::get_bool(int row, int column) const {
  const std::string_view text = get(row, column);
  if (text != "t" && text != "f") mismatch(column, text, "a boolean");
  return text == "t";
}

std::string result::get_uuid(int row, int column) const {
  const std::string_view bytes = get(row, column);
  if (PQfformat(raw_.get(), column) != 1 || bytes.size() != uuid_size) {
    mismatch(column, std::to_string(bytes.size()) + " bytes", "a binary uuid");
  }
  return uuid_text(bytes);
}

int result::affected() const {
  if (!raw_) return 0;
  const std::string_view text = PQcmdTuples(raw_.get());
  int count = 0;
  std::from_chars(text.data(), text.data() + text.size(), count);
  return count;
}

std::string_view result::tag() const {
  return raw_ ? std::string_view(PQcmdStatus(raw_.get())) : std::string_view();
}

std::string_view result::error_field(int code) const {
  const char* text = PQresultErrorField(raw_.get(), code);
  return text == nullptr ? std::string_view() : std::string_view(text);
}

}  // namespace rowrunner::pg
