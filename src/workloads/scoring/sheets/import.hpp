#pragma once

#include <string>

#include "common/environment.hpp"
#include "workloads/scoring/run_store.hpp"

namespace rowrunner::scoring {

/// The rows of a tab that may be written as a sheet. Throws bad_input for what Google refuses for
/// good, sheets_error for what may pass.
sheet_source read_spreadsheet(const environment& env, const std::string& spreadsheet,
                              const std::string& tab);

class sheets_client;

/// The same as CSV, over this client; it also asks whether the tab may be written. Throws the same.
asio::awaitable<std::string> fetch_spreadsheet(sheets_client& client, std::string spreadsheet,
                                               std::string tab);

/// The text of a cell as values:batchGet gives it.
std::string cell_text(const nlohmann::json& cell);

/// Rows as values:batchGet gives them, as CSV: Sheets leaves out empty cells at the end of a row.
std::string values_as_csv(const nlohmann::json& rows);

}  // namespace rowrunner::scoring
