#include "workloads/scoring/export.hpp"

#include <algorithm>

#include "queries/scoring.hpp"
#include "workloads/scoring/csv.hpp"

namespace rowrunner::scoring {

using admin::transaction;
using nlohmann::json;

namespace {

constexpr int page_rows = 500;
constexpr int page_bytes = 4 * 1024 * 1024;
constexpr int page_blocks = 5'000;

/// The cells of a row's scores: numbers, and nothing where there is none.
void append_scores(std::string& line, const std::vector<block>& blocks, const json& scores) {
  for (std::size_t index = 0; index < blocks.size(); ++index) {
    const auto found = scores.find(std::to_string(index));
    for (std::size_t i = 0; i < blocks[index].categories.size(); ++i) {
      line += ',';
      if (found == scores.end() || i >= found->size() || (*found)[i].is_null()) continue;
      line += csv_number((*found)[i].get<double>());
    }
  }
}

std::string csv_line(const json& cells, const std::vector<block>& blocks, const json& scores) {
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i > 0) line += ',';
    line += csv_cell(cells[i].get_ref<const std::string&>());
  }
  append_scores(line, blocks, scores);
  return line + "\r\n";
}

std::string header_line(const stored_run& run) {
  auto titles = run.header;
  for (auto& each : score_titles(run.blocks)) titles.push_back(std::move(each));
  return csv_row(titles);
}

}  // namespace

page_source pages_of(pg::session& session) {
  return [&session](const page_reading& read) { return read(session); };
}

asio::awaitable<void> export_csv(page_source pages, const stored_run& run, text_sink to) {
  if (run.bom) to(csv_bom);
  to(header_line(run));
  int last = run.row_start - 1;
  const auto read = [&](transaction& tx) {
    return tx.run(queries::export_page, run.id, last, page_rows, page_bytes);
  };
  const page_reading on = [&](pg::session& session) { return admin::read_jobs(session, read); };
  for (;;) {
    const auto page = co_await pages(on);
    if (page.rows() == 0) co_return;
    std::string text;
    for (int row = 0; row < page.rows(); ++row) {
      const auto scores = page.is_null(row, 2) ? json::object() : json::parse(page.get(row, 2));
      text += csv_line(json::parse(page.get(row, 1)), run.blocks, scores);
    }
    to(text);
    last = static_cast<int>(page.get_int(page.rows() - 1, 0));
  }
}

asio::awaitable<void> export_checkpoint(page_source pages, std::string run_id, text_sink to) {
  to("{\"completed_blocks\": [");
  std::string updated;
  int row = -1, block = -1;
  const auto read = [&](transaction& tx) {
    return tx.run(queries::checkpoint_page, run_id, row, block, page_blocks);
  };
  const page_reading on = [&](pg::session& session) { return admin::read_jobs(session, read); };
  for (bool first = true;; first = false) {
    const auto page = co_await pages(on);
    std::string text;
    for (int i = 0; i < page.rows(); ++i) {
      row = static_cast<int>(page.get_int(i, 0));
      block = static_cast<int>(page.get_int(i, 1));
      if (!first || i > 0) text += ", ";
      text += "\"" + std::to_string(row) + ":" + std::to_string(block) + "\"";
      updated = std::max(updated, std::string(page.get(i, 2)));
    }
    to(text);
    if (page.rows() < page_blocks) break;
  }
  to("], \"updated_at\": " + (updated.empty() ? "null" : "\"" + updated + "\"") + "}\n");
}

asio::awaitable<void> export_cache(pg::session& session, text_sink to) {
  std::string last;
  to("{");
  for (bool first = true;; first = false) {
    const auto read = [&](transaction& tx) {
      return tx.run(queries::cache_entries, last, page_blocks);
    };
    const auto page = co_await admin::read_jobs(session, read);
    std::string text;
    for (int i = 0; i < page.rows(); ++i) {
      last = page.get(i, 0);
      text += (first && i == 0 ? "\n\"" : ",\n\"") + last + "\": " + std::string(page.get(i, 1));
    }
    to(text);
    if (page.rows() < page_blocks) break;
  }
  to("\n}\n");
}

}  // namespace rowrunner::scoring
