#include "workloads/scoring/sheets/a1.hpp"

namespace rowrunner::scoring {

std::string column_name(int index) {
  std::string out;
  for (int rest = index + 1; rest > 0; rest = (rest - 1) / 26) {
    out.insert(out.begin(), static_cast<char>('A' + (rest - 1) % 26));
  }
  return out;
}

std::string a1_range(std::string_view tab, int first_row, int first_column, int last_row,
                     int last_column) {
  std::string out = "'";
  for (const char c : tab) out += c == '\'' ? "''" : std::string(1, c);
  return out + "'!" + column_name(first_column) + std::to_string(first_row + 1) + ":" +
         column_name(last_column) + std::to_string(last_row + 1);
}

}  // namespace rowrunner::scoring
