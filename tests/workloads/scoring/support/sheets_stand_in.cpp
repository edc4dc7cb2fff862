#include "workloads/scoring/support/sheets_stand_in.hpp"

#include <regex>

#include "common/http/url.hpp"

namespace rowrunner::testing {

using nlohmann::json;

sheets_stand_in::sheets_stand_in() {
  server_.on("GET /computeMetadata/v1/instance/service-accounts/default/token",
             [this](http_exchange& e) { give_token(e); });
  server_.on("GET /v4/spreadsheets/book/values:batchGet", [this](http_exchange& e) { get(e); });
  server_.on("POST /v4/spreadsheets/book/values:batchUpdate",
             [this](http_exchange& e) { update(e); });
  const auto refuse = [](http_exchange& e) {
    e.answer(403, R"({"error": {"code": 403, "message": "The caller does not have permission",
                      "status": "PERMISSION_DENIED"}})");
  };
  server_.on("GET /v4/spreadsheets/private/values:batchGet", refuse);
  server_.on("GET /v4/spreadsheets/readonly/values:batchGet", [this](http_exchange& e) { get(e); });
  server_.on("POST /v4/spreadsheets/readonly/values:batchUpdate", refuse);
}

void sheets_stand_in::give_token(http_exchange& exchange) {
  exchange.answer(200, R"({"access_token": "t0ken", "expires_in": 3600, "token_type": "Bearer"})",
                  {{"Content-Type", "application/json"}});
}

bool sheets_stand_in::allowed(http_exchange& exchange) {
  if (exchange.call().header("Authorization") == "Bearer t0ken") return true;
  exchange.answer(401, "{}");
  return false;
}

sheets_stand_in::area sheets_stand_in::read_range(const std::string& a1) {
  if (a1 == "'It''s'") return {0, 0, 999, 25};
  static const std::regex form("'It''s'!([A-Z]+)([0-9]+):([A-Z]+)([0-9]+)");
  std::smatch parts;
  if (!std::regex_match(a1, parts, form)) throw std::runtime_error("range " + a1);
  const auto column = [](const std::string& name) {
    int out = 0;
    for (const char c : name) out = out * 26 + (c - 'A' + 1);
    return out - 1;
  };
  return {std::stoi(parts[2]) - 1, column(parts[1]), std::stoi(parts[4]) - 1, column(parts[3])};
}

/// Without empty cells and rows at the end, as Sheets answers.
json sheets_stand_in::values(const area& of) const {
  json out = json::array();
  for (int row = of.first_row; row <= of.last_row; ++row) {
    json cells = json::array();
    for (int column = of.first_column; column <= of.last_column; ++column) {
      const auto found = cells_.find({row, column});
      cells.push_back(found == cells_.end() ? json("") : found->second);
    }
    while (!cells.empty() && cells.back() == "") cells.erase(cells.size() - 1);
    out.push_back(std::move(cells));
  }
  while (!out.empty() && out.back().empty()) out.erase(out.size() - 1);
  return out;
}

void sheets_stand_in::get(http_exchange& exchange) {
  if (!allowed(exchange)) return;
  const auto target = exchange.call().target;
  json ranges = json::array();
  try {
    const std::scoped_lock lock(mutex_);
    if (target.find("valueRenderOption=UNFORMATTED_VALUE") == std::string::npos) {
      problems_.push_back("numbers would come as text");
    }
    for (auto at = target.find("ranges="); at != std::string::npos;
         at = target.find("ranges=", at + 1)) {
      const auto text = target.substr(at + 7, target.find('&', at) - at - 7);
      const auto range = http::percent_decode(text);
      json one{{"range", range}, {"majorDimension", "ROWS"}};
      const auto found = values(read_range(range));
      if (!found.empty()) one["values"] = found;
      ranges.push_back(std::move(one));
    }
  } catch (const std::exception& error) {
    return exchange.answer(400, json{{"error", {{"message", error.what()}}}}.dump());
  }
  exchange.answer(200, json{{"spreadsheetId", "book"}, {"valueRanges", ranges}}.dump());
}

void sheets_stand_in::update(http_exchange& exchange) {
  if (!allowed(exchange)) return;
  const auto& text = exchange.call().body;
  // The question whether it may be written, which changes nothing.
  if (text.find("[[null]]") != std::string::npos) {
    return exchange.answer(200, R"({"spreadsheetId": "book"})");
  }
  special before, after;
  {
    const std::scoped_lock lock(mutex_);
    before = before_;
    after = after_;
    updates_.push_back(std::chrono::steady_clock::now());
  }
  if (before && before(exchange)) return;
  try {
    const std::scoped_lock lock(mutex_);
    if (text.size() > 1'500'000) problems_.push_back("an update of more than 1.5 MB");
    const auto body = json::parse(text);
    if (body.at("valueInputOption") != "RAW") problems_.push_back("not RAW");
    for (const auto& each : body.at("data")) {
      const auto where = read_range(each.at("range").get<std::string>());
      const auto& rows = each.at("values");
      for (std::size_t r = 0; r < rows.size(); ++r) {
        for (std::size_t c = 0; c < rows[r].size(); ++c) {
          cells_[{where.first_row + static_cast<int>(r),
                  where.first_column + static_cast<int>(c)}] = rows[r][c];
        }
      }
    }
  } catch (const std::exception& error) {
    return exchange.answer(400, json{{"error", {{"message", error.what()}}}}.dump());
  }
  if (after && after(exchange)) return;
  exchange.answer(200, R"({"spreadsheetId": "book"})");
}

void sheets_stand_in::set(int row, int column, json value) {
  const std::scoped_lock lock(mutex_);
  cells_[{row, column}] = std::move(value);
}

json sheets_stand_in::cell(int row, int column) const {
  const std::scoped_lock lock(mutex_);
  const auto found = cells_.find({row, column});
  return found == cells_.end() ? json("") : found->second;
}

void sheets_stand_in::before_update(special what) {
  const std::scoped_lock lock(mutex_);
  before_ = std::move(what);
}

void sheets_stand_in::answer_after_update(special what) {
  const std::scoped_lock lock(mutex_);
  after_ = std::move(what);
}

std::vector<std::chrono::steady_clock::time_point> sheets_stand_in::updates() const {
  const std::scoped_lock lock(mutex_);
  return updates_;
}

std::vector<std::string> sheets_stand_in::problems() const {
  const std::scoped_lock lock(mutex_);
  return problems_;
}

process_environment sheets_stand_in::settings() const {
  return {{"SHEETS_BASE_URL", server_.url("")},
          {"GCE_METADATA_HOST", "127.0.0.1:" + std::to_string(server_.port())},
          {"GOOGLE_APPLICATION_CREDENTIALS", std::nullopt}};
}

}  // namespace rowrunner::testing
