#include "workloads/scoring/sheets/import.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>

#include "common/errors.hpp"
#include "workloads/scoring/sheets/a1.hpp"
#include "workloads/scoring/sheets/sheets_client.hpp"

namespace rowrunner::scoring {

using nlohmann::json;

namespace {

/// As it is: what a formula would do is for those who write files for people.
std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

/// "'Tab'": all of it.
std::string whole_tab(const std::string& tab) {
  std::string out = "'";
  for (const char c : tab) out += c == '\'' ? "''" : std::string(1, c);
  return out + "'";
}

}  // namespace

std::string cell_text(const json& cell) {
  if (cell.is_string()) return cell.get<std::string>();
  if (cell.is_null()) return "";
  if (cell.is_boolean()) return cell.get<bool>() ? "TRUE" : "FALSE";
  return cell.dump();
}

std::string values_as_csv(const json& rows) {
  std::size_t width = 0;
  for (const auto& row : rows) width = std::max(width, row.size());
  std::string out;
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < width; ++i) {
      if (i > 0) out += ',';
      out += quoted(i < row.size() ? cell_text(row[i]) : "");
    }
    out += "\r\n";
  }
  return out;
}

asio::awaitable<std::string> fetch_spreadsheet(sheets_client& client, std::string spreadsheet,
                                               std::string tab) {
  check_spreadsheet_id(spreadsheet);
  std::string what = "read";
  try {
    std::vector<std::string> ranges{whole_tab(tab)};
    const auto found = co_await client.get(spreadsheet, std::move(ranges));
    what = "written";
    // Sheets skips null: nothing changes, but it needs the permission.
    const json range{{"range", a1_range(tab, 0, 0, 0, 0)},
                     {"majorDimension", "ROWS"},
                     {"values", json::array({json::array({nullptr})})}};
    const json body{{"valueInputOption", "RAW"}, {"data", json::array({range})}};
    co_await client.update(spreadsheet, body.dump());
    co_return values_as_csv(found.front());
  } catch (const sheets_error& why) {
    if (why.temporary) throw;
    throw bad_input("the spreadsheet cannot be " + what + ": " + why.what());
  }
}

sheet_source read_spreadsheet(const environment& env, const std::string& spreadsheet,
                              const std::string& tab) {
  asio::io_context io;
  http::client http(io.get_executor());
  sheets_client client(http, env);
  auto answer = asio::co_spawn(io, fetch_spreadsheet(client, spreadsheet, tab), asio::use_future);
  io.run();
  const auto rest = std::make_shared<std::string>(answer.get());
  return [rest] { return std::exchange(*rest, {}); };
}

}  // namespace rowrunner::scoring
