#include "workloads/scoring/sheets/sheet_handler.hpp"

#include "common/errors.hpp"
#include "common/pg/array.hpp"
#include "common/uuid.hpp"
#include "queries/scoring.hpp"
#include "workloads/scoring/sheets/a1.hpp"
#include "workloads/scoring/sheets/import.hpp"

namespace rowrunner::scoring {

using nlohmann::json;

namespace {

constexpr std::chrono::milliseconds between_writes{1'200};
constexpr int most_at_once = 5'000;
constexpr int page_rows = 500;
constexpr int most_rounds = 3;
constexpr int most_tries = 6;

std::vector<std::optional<double>> read_scores(const json& from) {
  std::vector<std::optional<double>> out;
  for (const auto& each : from) {
    out.push_back(each.is_null() ? std::nullopt : std::optional(each.get<double>()));
  }
  return out;
}

struct keys {
  std::vector<std::int64_t> rows, blocks;
  void add(int row, int block) {
    rows.push_back(row);
    blocks.push_back(block);
  }
};

/// Under the lease of the job, each time as another step.
asio::awaitable<void> store(job& self, std::vector<effect> effects) {
  const std::function<asio::awaitable<step_result>()> body =
      [&effects]() -> asio::awaitable<step_result> {
    step_result out;
    out.effects = effects;
    co_return out;
  };
  co_await self.step("cells-" + uuid_maker().next(), body);
}

effect about(const query& what, const std::string& run, const keys& which) {
  return {std::string(what.text), {run, pg::array(which.rows), pg::array(which.blocks)}};
}

effect note_moved(const std::string& run, const std::vector<std::int64_t>& rows) {
  return {std::string(queries::sheet_moved.text), {run, pg::array(rows)}};
}

/// Of a column as values:batchGet gives it.
std::string text_at(const json& rows, std::size_t at) {
  const bool has = at < rows.size() && rows[at].is_array() && !rows[at].empty();
  return has ? cell_text(rows[at][0]) : "";
}

}  // namespace

struct sheet_handler::sheet {
  std::string run_id, spreadsheet, tab;
  std::string run_status;
  int utterance_column = 0;
  std::vector<block> blocks;
  bool another_first = false;
  bool another_writes = false;
};

sheet_handler::sheet_handler(services& engine, environment env)
    : engine_(engine), env_(std::move(env)), http_(engine.executor()) {}

sheets_client& sheet_handler::client() {
  if (!client_) client_ = std::make_unique<sheets_client>(http_, env_);
  return *client_;
}

asio::awaitable<outcome> sheet_handler::run(job& self) {
  try {
    co_return co_await project(self);
  } catch (const sheets_error& e) {
    co_return failed{e.what(), e.after, !e.temporary};
  } catch (const usage_error& e) {
    co_return failed{e.what(), std::nullopt, false};
  }
}

asio::awaitable<outcome> sheet_handler::project(job& self) {
  auto target = co_await read_sheet(self);
  if (target.another_first) co_return snoozed{std::chrono::seconds(5)};
  // It sees that this one comes first, and makes way.
  if (target.another_writes) co_return snoozed{std::chrono::seconds(2)};
  co_await write_titles(self, target);
  for (int rounds = 0;;) {
    auto cells = co_await unwritten(self, target);
    if (!cells.empty()) {
      co_await write_some(self, target, std::move(cells));
    } else if (target.run_status != "running") {
      const bool same = co_await compare(self, target);
      // The run may have been resumed meanwhile.
      target = co_await read_sheet(self);
      if (same && target.run_status != "running") co_return co_await ending(self);
      if (!same && ++rounds == most_rounds) {
        co_return failed{"the spreadsheet is changed by others while it is written",
                         std::chrono::minutes(1), false};
      }
    }
    // What is asked for after the status was read includes all scores of a run that had ended.
    target = co_await read_sheet(self);
    if (target.another_first) co_return snoozed{std::chrono::seconds(5)};
    co_await self.sleep(between_writes);
  }
}

asio::awaitable<sheet_handler::sheet> sheet_handler::read_sheet(job& self) {
  sheet out;
  out.run_id = self.text("run_id");
  out.spreadsheet = self.text("spreadsheet_id");
  out.tab = self.text("tab");
  const auto found =
      co_await engine_.idempotent_query(self, std::string(queries::sheet_run.text), out.run_id);
  if (found.rows.empty()) throw sheets_error("the run of this spreadsheet is gone", false);
  const auto& row = found.rows.front();
  out.run_status = row.at(0).value();
  out.utterance_column = std::stoi(row.at(1).value());
  out.blocks = stored_blocks(row.at(2).value());
  out.another_first = row.at(6).value() == "t";
  out.another_writes = row.at(7).value() == "t";
  co_return out;
}

asio::awaitable<std::vector<sheet_handler::pending_cells>> sheet_handler::unwritten(
    job& self, const sheet& of) {
  const auto found = co_await engine_.idempotent_query(
      self, std::string(queries::sheet_unwritten.text), of.run_id, std::to_string(most_at_once));
  std::vector<pending_cells> out;
  for (const auto& row : found.rows) {
    pending_cells one;
    one.cells.row_index = std::stoi(row.at(0).value());
    one.cells.block_index = std::stoi(row.at(1).value());
    one.cells.col_offset = of.blocks.at(static_cast<std::size_t>(one.cells.block_index)).col_offset;
    one.cells.scores = read_scores(json::parse(row.at(2).value()));
    one.utterance = row.at(3).value_or("");
    out.push_back(std::move(one));
  }
  co_return out;
}

asio::awaitable<void> sheet_handler::write_some(job& self, const sheet& of,
                                                std::vector<pending_cells> cells) {
  std::vector<std::pair<int, std::string>> rows;
  for (const auto& each : cells) rows.emplace_back(each.cells.row_index, each.utterance);
  const auto moved = co_await moved_rows(self, of, std::move(rows));
  std::vector<sheet_cells> still;
  for (auto& each : cells) {
    if (!moved.contains(each.cells.row_index)) still.push_back(std::move(each.cells));
  }
  const auto request = make_update(of.tab, still);
  if (request.count > 0) co_await update(self, of, request.body);
  keys written;
  for (std::size_t i = 0; i < request.count; ++i) {
    written.add(still[i].row_index, still[i].block_index);
  }
  std::vector<effect> effects;
  effects.push_back(about(queries::sheet_written, of.run_id, written));
  if (!moved.empty()) {
    const std::vector<std::int64_t> list(moved.begin(), moved.end());
    effects.push_back(note_moved(of.run_id, list));
  }
  co_await store(self, std::move(effects));
}

/// Those whose utterance in the spreadsheet is another one now.
asio::awaitable<std::set<int>> sheet_handler::moved_rows(
    job& self, const sheet& of, std::vector<std::pair<int, std::string>> rows) {
  int first = rows.front().first, last = first;
  for (const auto& [row, text] : rows) {
    first = std::min(first, row);
    last = std::max(last, row);
  }
  std::vector<std::string> ranges;
  ranges.push_back(a1_range(of.tab, first, of.utterance_column, last, of.utterance_column));
  const auto found = co_await get(self, of, std::move(ranges));
  std::set<int> out;
  for (const auto& [row, text] : rows) {
    if (text_at(found.front(), static_cast<std::size_t>(row - first)) != text) out.insert(row);
  }
  co_return out;
}

/// True if the spreadsheet has what PostgreSQL has.
asio::awaitable<bool> sheet_handler::compare(job& self, const sheet& of) {
  bool same = true;
  for (int last = -1;;) {
    const auto page =
        co_await engine_.idempotent_query(self, std::string(queries::sheet_page.text), of.run_id,
                                          std::to_string(last), std::to_string(page_rows));
    if (page.rows.empty()) co_return same;
    if (!co_await compare_page(self, of, page)) same = false;
    last = std::stoi(page.rows.back().at(0).value());
    co_await self.sleep(between_writes);
  }
}

asio::awaitable<bool> sheet_handler::compare_page(job& self, const sheet& of,
                                                  const query_result& page) {
  const int first = std::stoi(page.rows.front().at(0).value());
  const int last = std::stoi(page.rows.back().at(0).value());
  std::vector<std::string> ranges;
  for (const auto& each : of.blocks) {
    const int last_column = each.col_offset + static_cast<int>(each.categories.size()) - 1;
    ranges.push_back(a1_range(of.tab, first, each.col_offset, last, last_column));
  }
  ranges.push_back(a1_range(of.tab, first, of.utterance_column, last, of.utterance_column));
  const auto found = co_await get(self, of, std::move(ranges));
  const auto& utterances = found.back();
  keys different;
  std::vector<std::int64_t> moved;
  for (const auto& row : page.rows) {
    const int index = std::stoi(row.at(0).value());
    const auto at = static_cast<std::size_t>(index - first);
    if (text_at(utterances, at) != row.at(1).value_or("")) {
      moved.push_back(index);
      continue;
    }
    const auto by_block = json::parse(row.at(2).value());
    for (const auto& [block_text, scores] : by_block.items()) {
      const auto block_index = static_cast<std::size_t>(std::stoi(block_text));
      const auto& values = found.at(block_index);
      const json cells = at < values.size() ? values[at] : json::array();
      if (!same_scores(cells, read_scores(scores))) {
        different.add(index, static_cast<int>(block_index));
      }
    }
  }
  std::vector<effect> effects;
  if (!moved.empty()) effects.push_back(note_moved(of.run_id, moved));
  if (!different.rows.empty()) {
    effects.push_back(about(queries::sheet_differs, of.run_id, different));
  }
  if (!effects.empty()) co_await store(self, std::move(effects));
  co_return different.rows.empty();
}

asio::awaitable<void> sheet_handler::write_titles(job& self, const sheet& of) {
  json data = json::array();
  for (const auto& each : of.blocks) {
    json titles = json::array();
    for (const auto& title : score_titles({each})) titles.push_back(title);
    const int last = each.col_offset + static_cast<int>(each.categories.size()) - 1;
    data.push_back({{"range", a1_range(of.tab, 0, each.col_offset, 0, last)},
                    {"majorDimension", "ROWS"},
                    {"values", json::array({titles})}});
  }
  const json body{{"valueInputOption", "RAW"}, {"data", data}};
  co_await update(self, of, body.dump());
}

/// How long to wait before a write, which may then be sent. One account writes all spreadsheets.
std::chrono::steady_clock::duration sheet_handler::next_write() {
  const auto now = std::chrono::steady_clock::now();
  const auto at = std::max(now, next_write_);
  next_write_ = at + between_writes;
  return at - now;
}

/// Ranges are absolute, so a request whose answer was lost may be sent again.
asio::awaitable<void> sheet_handler::update(job& self, const sheet& of, std::string body) {
  for (int tried = 1;; ++tried) {
    std::chrono::milliseconds pause{0};
    co_await self.sleep(next_write());
    try {
      co_await client().update(of.spreadsheet, body);
      co_return;
    } catch (const sheets_error& e) {
      if (!e.temporary || tried == most_tries) throw;
      pause = e.after.value_or(between_writes * (1 << tried));
    }
    co_await self.sleep(pause);
  }
}

asio::awaitable<std::vector<json>> sheet_handler::get(job& self, const sheet& of,
                                                      std::vector<std::string> ranges) {
  for (int tried = 1;; ++tried) {
    std::chrono::milliseconds pause{0};
    try {
      co_return co_await client().get(of.spreadsheet, ranges);
    } catch (const sheets_error& e) {
      if (!e.temporary || tried == most_tries) throw;
      pause = e.after.value_or(between_writes * (1 << tried));
    }
    co_await self.sleep(pause);
  }
}

asio::awaitable<outcome> sheet_handler::ending(job& self) {
  const auto found = co_await engine_.idempotent_query(
      self, std::string(queries::sheet_moved_rows.text), self.text("run_id"));
  const int moved = std::stoi(found.rows.front().at(0).value());
  if (moved == 0) co_return succeeded{};
  const int first = std::stoi(found.rows.front().at(1).value()) + 1;
  co_return final_failure(std::to_string(moved) +
                          " rows of the spreadsheet have another utterance "
                          "now, the first is row " +
                          std::to_string(first) + ": their scores are not written");
}

kind_options sheet_options() {
  kind_options options;
  options.kind = "scoring_sheet";
  options.columns = {"run_id", "spreadsheet_id", "tab"};
  return options;
}

}  // namespace rowrunner::scoring
