#pragma once

#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "common/environment.hpp"
#include "common/http/client.hpp"
#include "common/http/google_auth.hpp"

namespace rowrunner::scoring {

namespace asio = boost::asio;

/// Google did not do it. The message is one line without secrets.
struct sheets_error : std::runtime_error {
  sheets_error(const std::string& what, bool may_pass,
               std::optional<std::chrono::milliseconds> wait = std::nullopt)
      : std::runtime_error(what), temporary(may_pass), after(wait) {}

  bool temporary;
  std::optional<std::chrono::milliseconds> after;
};

/// Google Sheets, as far as scoring needs it. SHEETS_BASE_URL, and the credentials of
/// GOOGLE_APPLICATION_CREDENTIALS.
class sheets_client {
 public:
  /// Throws usage_error. The client must live longer.
  sheets_client(http::client& http, const environment& env);

  /// values:batchGet: the rows of each range, with numbers as numbers. Throws sheets_error.
  asio::awaitable<std::vector<nlohmann::json>> get(std::string spreadsheet,
                                                   std::vector<std::string> ranges);
  /// values:batchUpdate. Throws sheets_error.
  asio::awaitable<void> update(std::string spreadsheet, std::string body);

 private:
  asio::awaitable<nlohmann::json> send(http::request wanted);

  http::client& http_;
  const std::string base_url_;
  http::google_auth auth_;
};

/// Letters, digits, - and _. Throws bad_input.
void check_spreadsheet_id(const std::string& id);

}  // namespace rowrunner::scoring
