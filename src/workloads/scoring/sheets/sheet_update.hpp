#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace rowrunner::scoring {

/// Scores of one (row, block) on their way into a spreadsheet.
struct sheet_cells {
  int row_index = 0;
  int block_index = 0;
  int col_offset = 0;
  std::vector<std::optional<double>> scores;
};

inline constexpr std::size_t largest_update = 1'500'000;

/// The body of values:batchUpdate for as many of the cells, from the first on, as fit into a
/// request. Ranges are absolute, so the same request twice writes the same cells. Rows below each
/// other are one range.
struct sheet_update {
  std::string body;
  std::size_t count = 0;
};
sheet_update make_update(const std::string& tab, const std::vector<sheet_cells>& cells,
                         std::size_t largest = largest_update);

/// Whether the values of a range, as values:batchGet gives them, are these scores. Sheets leaves
/// out empty cells at the end.
bool same_scores(const nlohmann::json& values, const std::vector<std::optional<double>>& scores);

}  // namespace rowrunner::scoring
