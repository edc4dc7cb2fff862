#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/http_stand_in.hpp"
#include "support/process.hpp"

namespace rowrunner::testing {

/// A server that speaks values:batchGet and values:batchUpdate of Google Sheets, and the metadata
/// server that gives tokens out, for one spreadsheet `book` with the tab `It's`.
class sheets_stand_in {
 public:
  using special = std::function<bool(http_exchange&)>;

  sheets_stand_in();

  void set(int row, int column, nlohmann::json value);
  nlohmann::json cell(int row, int column) const;
  /// Does this before (or instead of, if it says true) an update.
  void before_update(special what);
  /// The update is applied, and then answered so.
  void answer_after_update(special what);
  /// When each update came.
  std::vector<std::chrono::steady_clock::time_point> updates() const;
  std::vector<std::string> problems() const;
  process_environment settings() const;

 private:
  struct area {
    int first_row = 0, first_column = 0, last_row = 0, last_column = 0;
  };

  void give_token(http_exchange& exchange);
  void get(http_exchange& exchange);
  void update(http_exchange& exchange);
  bool allowed(http_exchange& exchange);
  static area read_range(const std::string& a1);
  nlohmann::json values(const area& of) const;

  mutable std::mutex mutex_;
  std::map<std::pair<int, int>, nlohmann::json> cells_;
  special before_, after_;
  std::vector<std::chrono::steady_clock::time_point> updates_;
  std::vector<std::string> problems_;
  http_stand_in server_;
};

}  // namespace rowrunner::testing
