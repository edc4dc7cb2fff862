#include "workloads/scoring/run_status.hpp"

#include <rowrunner/column_value.hpp>

#include "admin/transaction.hpp"
#include "queries/scoring.hpp"

namespace rowrunner::scoring {

using admin::transaction;
using nlohmann::ordered_json;

namespace {

constexpr int most_failures = 10'000;

double number(const pg::result& rows, int column) {
  return detail::read_number(rows.get(0, column)).value_or(0);
}

ordered_json text_or_null(const pg::result& rows, int row, int column) {
  if (rows.is_null(row, column)) return nullptr;
  return std::string(rows.get(row, column));
}

ordered_json or_null(const std::string& text) {
  return text.empty() ? ordered_json() : ordered_json(text);
}

}  // namespace

asio::awaitable<std::optional<run_status>> read_status(pg::session& session, std::string name) {
  const auto read = [&](transaction& tx) { return tx.run(queries::run_status, name); };
  const auto found = co_await admin::read_jobs(session, read);
  if (found.rows() == 0) co_return std::nullopt;
  run_status out;
  out.name = found.get(0, 0);
  out.status = found.get(0, 1);
  out.reason = found.get(0, 2);
  out.provider = found.get(0, 3);
  out.model = found.get(0, 4);
  out.rows = found.get_int(0, 5);
  out.blocks = found.get_int(0, 6);
  out.processed_rows = found.get_int(0, 7);
  out.processed_blocks = found.get_int(0, 8);
  out.failed_blocks = found.get_int(0, 9);
  out.cache_hits = found.get_int(0, 10);
  out.calls = found.get_int(0, 11);
  out.cost = number(found, 12);
  out.write_seconds = number(found, 13);
  out.flushes = found.get_int(0, 14);
  out.seconds = number(found, 15);
  out.created_at = found.get(0, 16);
  out.ended_at = found.get(0, 17);
  out.chunks = found.get_int(0, 18);
  out.sheet_status = found.get(0, 19);
  out.sheet_error = found.get(0, 20);
  out.round_seconds = number(found, 21);
  out.round_began_with = found.get_int(0, 22);
  if (!found.is_null(0, 23)) out.max_calls = found.get_int(0, 23);
  if (!found.is_null(0, 24)) out.max_cost = number(found, 24);
  out.limit_key = found.get(0, 25);
  if (!found.is_null(0, 26)) out.limit_rate = number(found, 26);
  out.waits_for = found.get(0, 27);
  co_return out;
}

double run_status::blocks_a_second() const {
  const auto done = done_blocks() - round_began_with;
  return done > 0 && round_seconds > 0 ? static_cast<double>(done) / round_seconds : 0;
}

std::optional<double> run_status::eta_seconds() const {
  const double speed = blocks_a_second();
  if (status != "running" || speed <= 0) return std::nullopt;
  return static_cast<double>(total_blocks() - done_blocks()) / speed;
}

ordered_json to_json(const run_status& of) {
  const auto eta = of.eta_seconds();
  const double blocks = static_cast<double>(std::max<std::int64_t>(of.blocks, 1));
  return {{"run", of.name},
          {"status", of.status},
          {"reason", or_null(of.reason)},
          {"provider", of.provider},
          {"model", of.model},
          {"rows", of.rows},
          {"blocks", of.blocks},
          {"chunks", of.chunks},
          {"processed_rows", of.processed_rows},
          {"processed_blocks", of.processed_blocks},
          {"failed_blocks", of.failed_blocks},
          {"cache_hits", of.cache_hits},
          {"calls", of.calls},
          {"cost", of.cost},
          {"flushes", of.flushes},
          {"write_seconds", of.write_seconds},
          {"seconds", of.seconds},
          {"rows_a_second", of.blocks_a_second() / blocks},
          {"eta_seconds", eta ? ordered_json(*eta) : ordered_json()},
          {"max_calls", of.max_calls ? ordered_json(*of.max_calls) : ordered_json()},
          {"max_cost", of.max_cost ? ordered_json(*of.max_cost) : ordered_json()},
          {"limit_key", or_null(of.limit_key)},
          {"limit_rate", of.limit_rate ? ordered_json(*of.limit_rate) : ordered_json()},
          {"waits_for", or_null(of.waits_for)},
          {"created_at", of.created_at},
          {"ended_at", or_null(of.ended_at)},
          {"sheet_status", or_null(of.sheet_status)},
          {"sheet_error", or_null(of.sheet_error)}};
}

asio::awaitable<ordered_json> read_chunks(pg::session& session, std::string run_id) {
  const auto read = [&](transaction& tx) { return tx.run(queries::chunks_of_run, run_id); };
  const auto found = co_await admin::read_jobs(session, read);
  ordered_json out = ordered_json::array();
  for (int row = 0; row < found.rows(); ++row) {
    out.push_back({{"chunk_id", found.get(row, 0)},
                   {"row_start", found.get_int(row, 1)},
                   {"row_end", found.get_int(row, 2)},
                   {"status", found.get(row, 3)},
                   {"retry_count", found.get_int(row, 4)},
                   {"last_error", text_or_null(found, row, 5)},
                   {"updated_at", found.get(row, 6)}});
  }
  co_return out;
}

asio::awaitable<ordered_json> read_failures(pg::session& session, std::string run_id) {
  const auto read = [&](transaction& tx) {
    return tx.run(queries::failures_of_run, run_id, most_failures);
  };
  const auto found = co_await admin::read_jobs(session, read);
  ordered_json out = ordered_json::array();
  for (int row = 0; row < found.rows(); ++row) {
    out.push_back({{"row_index", found.get_int(row, 0)},
                   {"block_index", found.get_int(row, 1)},
                   {"reason", found.get(row, 2)}});
  }
  co_return out;
}

}  // namespace rowrunner::scoring
