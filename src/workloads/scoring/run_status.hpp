#pragma once

#include <boost/asio/awaitable.hpp>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "common/pg/session.hpp"

namespace rowrunner::scoring {

namespace asio = boost::asio;

/// How far a run is.
struct run_status {
  std::string name;
  std::string status;
  std::string reason;
  std::string provider;
  std::string model;
  std::int64_t rows = 0;
  std::int64_t blocks = 0;
  std::int64_t chunks = 0;
  std::int64_t processed_rows = 0;
  std::int64_t processed_blocks = 0;
  std::int64_t failed_blocks = 0;
  std::int64_t cache_hits = 0;
  std::int64_t calls = 0;
  double cost = 0;
  double write_seconds = 0;
  std::int64_t flushes = 0;
  double seconds = 0;
  /// Since this round began, and the blocks that were done then.
  double round_seconds = 0;
  std::int64_t round_began_with = 0;
  std::optional<std::int64_t> max_calls;
  std::optional<double> max_cost;
  /// The key of the shared limit that its calls have; empty if they have none.
  std::string limit_key;
  /// Calls a second that all workers share, and what calls wait for; only while it runs.
  std::optional<double> limit_rate;
  std::string waits_for;
  std::string created_at;
  std::string ended_at;
  /// Of the job that writes the spreadsheet; empty if there is none.
  std::string sheet_status;
  std::string sheet_error;

  /// The run, and what writes its spreadsheet.
  bool ended() const {
    return status != "running" && sheet_status != "queued" && sheet_status != "processing";
  }
  std::int64_t total_blocks() const { return rows * blocks; }
  std::int64_t done_blocks() const { return processed_blocks + failed_blocks; }
  /// Of this round: what was done before a resumed run stood still says nothing.
  double blocks_a_second() const;
  /// Nothing while it cannot be known.
  std::optional<double> eta_seconds() const;
};

nlohmann::ordered_json to_json(const run_status& of);

asio::awaitable<std::optional<run_status>> read_status(pg::session& session, std::string name);

/// The document's chunk_meta.json of each chunk.
asio::awaitable<nlohmann::ordered_json> read_chunks(pg::session& session, std::string run_id);

/// What could not be scored: [{"row_index", "block_index", "reason"}], the first of them.
asio::awaitable<nlohmann::ordered_json> read_failures(pg::session& session, std::string run_id);

}  // namespace rowrunner::scoring
