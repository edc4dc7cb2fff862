#pragma once

#include <boost/asio/awaitable.hpp>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "admin/transaction.hpp"
#include "common/pg/session.hpp"
#include "workloads/scoring/blocks.hpp"
#include "workloads/scoring/run_config.hpp"

namespace rowrunner::scoring {

namespace asio = boost::asio;

/// Where the bytes of a sheet come from: the next ones, empty at the end. Throws what it likes.
using sheet_source = std::function<std::string()>;

struct new_run {
  std::string name;
  std::string provider;
  std::string model;
  /// The name of the column that has the utterances.
  std::string column = "utterance";
  /// The categories, as parse_blocks takes them.
  nlohmann::json blocks;
  run_config config;
  std::optional<std::int64_t> max_calls{};
  std::optional<double> max_cost{};
  /// Which the scores are written to; none if empty.
  std::string spreadsheet{};
  std::string tab{};
};

struct made_run {
  std::int64_t id = 0;
  bool created = false;
  int rows = 0;
};

/// Imports the sheet and enqueues its chunks, all in one transaction: nothing is half done. The
/// same run again changes nothing; one that exists with other content is refused. Throws bad_input.
asio::awaitable<made_run> make_run(pg::session& session, const new_run& wanted, sheet_source sheet);

/// 1 to 100 letters, digits and . _ -, the first a letter or digit. Throws bad_input.
void check_run_name(const std::string& name);
std::string generated_run_name();

/// A run as it is stored.
struct stored_run {
  std::string id;
  std::string hash;
  std::vector<std::string> header;
  std::vector<block> blocks;
  run_config config;
  int row_start = 0;
  int row_count = 0;
  std::string status;
  std::string reason;
  /// The sheet began with a byte order mark.
  bool bom = false;
};
asio::awaitable<std::optional<stored_run>> find_run(pg::session& session, std::string name);

}  // namespace rowrunner::scoring
