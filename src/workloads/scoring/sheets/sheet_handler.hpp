#pragma once

#include <map>
#include <memory>
#include <rowrunner/worker.hpp>
#include <set>
#include <string>
#include <vector>

#include "common/environment.hpp"
#include "common/http/client.hpp"
#include "workloads/scoring/blocks.hpp"
#include "workloads/scoring/sheets/sheet_update.hpp"
#include "workloads/scoring/sheets/sheets_client.hpp"

namespace rowrunner::scoring {

/// Writes the scores of a run into its spreadsheet while they come: all that gathered, at most
/// every 1.2 seconds. When the run has ended it reads the cells back and writes again what differs.
/// A row that no longer has its utterance is left alone, and named.
class sheet_handler {
 public:
  sheet_handler(services& engine, environment env);

  asio::awaitable<outcome> run(job& self);

 private:
  struct sheet;
  struct pending_cells {
    sheet_cells cells;
    std::string utterance;
  };

  asio::awaitable<outcome> project(job& self);
  asio::awaitable<sheet> read_sheet(job& self);
  asio::awaitable<std::vector<pending_cells>> unwritten(job& self, const sheet& of);
  asio::awaitable<void> write_some(job& self, const sheet& of, std::vector<pending_cells> cells);
  asio::awaitable<std::set<int>> moved_rows(job& self, const sheet& of,
                                            std::vector<std::pair<int, std::string>> rows);
  asio::awaitable<bool> compare(job& self, const sheet& of);
  asio::awaitable<bool> compare_page(job& self, const sheet& of, const query_result& page);
  asio::awaitable<void> write_titles(job& self, const sheet& of);
  asio::awaitable<void> update(job& self, const sheet& of, std::string body);
  asio::awaitable<std::vector<nlohmann::json>> get(job& self, const sheet& of,
                                                   std::vector<std::string> ranges);
  asio::awaitable<outcome> ending(job& self);
  std::chrono::steady_clock::duration next_write();
  sheets_client& client();

  services& engine_;
  const environment env_;
  http::client http_;
  std::chrono::steady_clock::time_point next_write_{};
  /// Made when it is first needed: a worker without spreadsheets needs no credentials.
  std::unique_ptr<sheets_client> client_;
};

/// Of the kind scoring_sheet.
kind_options sheet_options();

}  // namespace rowrunner::scoring
