#include "workloads/scoring/sheets/sheet_update.hpp"

#include "workloads/scoring/sheets/a1.hpp"

namespace rowrunner::scoring {

using nlohmann::json;

namespace {

/// Sheets skips null and clears a cell for "".
json values_of(const sheet_cells& cells) {
  json out = json::array();
  for (const auto& each : cells.scores) out.push_back(each ? json(*each) : json(""));
  return out;
}

bool goes_on(const sheet_cells& last, const sheet_cells& next) {
  return next.block_index == last.block_index && next.row_index == last.row_index + 1;
}

}  // namespace

sheet_update make_update(const std::string& tab, const std::vector<sheet_cells>& cells,
                         std::size_t largest) {
  json data = json::array();
  std::size_t size = 200, count = 0, first = 0;
  json rows = json::array();
  const auto end_range = [&] {
    if (rows.empty()) return;
    const auto& from = cells[first];
    const int last_column = from.col_offset + static_cast<int>(from.scores.size()) - 1;
    data.push_back({{"range", a1_range(tab, from.row_index, from.col_offset,
                                       cells[count - 1].row_index, last_column)},
                    {"majorDimension", "ROWS"},
                    {"values", std::exchange(rows, json::array())}});
  };
  for (; count < cells.size(); ++count) {
    auto values = values_of(cells[count]);
    size += values.dump().size() + 120 + tab.size();
    if (size > largest && count > 0) break;
    if (count > 0 && !goes_on(cells[count - 1], cells[count])) end_range();
    if (rows.empty()) first = count;
    rows.push_back(std::move(values));
  }
  end_range();
  return {json{{"valueInputOption", "RAW"}, {"data", std::move(data)}}.dump(), count};
}

bool same_scores(const json& values, const std::vector<std::optional<double>>& scores) {
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const json cell = values.is_array() && i < values.size() ? values[i] : json("");
    if (!scores[i]) {
      if (cell != "") return false;
    } else if (!cell.is_number() || cell.get<double>() != *scores[i]) {
      return false;
    }
  }
  return true;
}

}  // namespace rowrunner::scoring
