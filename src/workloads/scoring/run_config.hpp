#pragma once

#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace rowrunner::scoring {

/// How a run is done; the names are those of its options, and of its JSON.
struct run_config {
  /// How often a chunk runs before it has failed.
  int chunk_retry_limit = 3;
  /// How often a (row, block) is asked for again within one run of its chunk.
  int max_retries = 3;
  int flush_batch_size = 50;
  /// In seconds.
  double flush_interval = 2;
  /// Calls at the same time, of a run in one process.
  int concurrency = 10;
  /// A row that cannot be scored is noted, and the run goes on and completes.
  bool keep_going = false;
  /// When the tries are used up, an answer that lacks some scores is taken, with empty cells.
  bool fallback = false;
  /// For the model; "" is the one that is built in.
  std::string system_prompt{};

  std::chrono::milliseconds flush_time() const {
    return std::chrono::milliseconds(static_cast<std::int64_t>(flush_interval * 1000));
  }
  bool operator==(const run_config&) const = default;
};

/// Throws bad_input that names the option if a value is out of its limits.
void check(const run_config& config);

nlohmann::json to_json(const run_config& config);
/// Members that are missing have their default. Throws bad_input for members that are unknown, of
/// another type or out of their limits.
run_config read_config(const nlohmann::json& from);

/// The wait before a chunk runs again: min(60, 2^retry_count) seconds.
std::chrono::seconds chunk_back_off(int retry_count);

/// "chunk-0001"
std::string chunk_id(int number);

/// Rows of a chunk.
inline constexpr int chunk_rows = 500;

}  // namespace rowrunner::scoring
