#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "admin/transaction.hpp"

namespace rowrunner::admin {

/// Entries that were missing, those that were removed, and what could not be repaired.
struct repair_report {
  std::int64_t queued = 0;
  std::int64_t delayed = 0;
  std::int64_t failed = 0;
  std::int64_t lost = 0;
  std::int64_t removed = 0;
  std::vector<std::string> problems;
};

/// Makes the entries of a kind match its jobs again. It reads the whole table.
asio::awaitable<repair_report> repair_kind(pg::session& session, std::string kind);

}  // namespace rowrunner::admin
