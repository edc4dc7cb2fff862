#pragma once

#include <boost/asio/awaitable.hpp>
#include <optional>
#include <string>

#include "common/pg/session.hpp"

namespace rowrunner::scoring {

namespace asio = boost::asio;

struct resume_options {
  std::optional<std::int64_t> max_calls{};
  std::optional<double> max_cost{};
  /// Runs what could not be scored once more, also if the run has completed.
  bool retry_failed = false;
};

struct resumed {
  bool known = false;
  /// Why nothing was done; empty if the run goes on.
  std::string refused{};
  std::int64_t chunks = 0;
};

/// Lets a run go on that has failed: its failed chunks run again, with the scores that they have.
asio::awaitable<resumed> resume_run(pg::session& session, std::string name, resume_options how);

/// Lets the spreadsheet of a run be written once more, rows that had moved included.
asio::awaitable<resumed> write_sheet_again(pg::session& session, std::string name);

}  // namespace rowrunner::scoring
