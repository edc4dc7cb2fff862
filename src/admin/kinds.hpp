#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "admin/error.hpp"
#include "admin/transaction.hpp"
#include "common/schema/kind_info.hpp"

namespace rowrunner::admin {

/// An attached kind, as people see it.
struct kind_summary {
  std::string kind;
  /// Nothing if it was dropped.
  std::optional<std::string> table;
  std::string state;
  bool paused = false;
  std::int64_t workers = 0;
  std::string cancelled_status;
  /// How long jobs are kept, as PostgreSQL writes an interval; nothing: for ever.
  std::optional<std::string> retention;
  std::optional<std::string> failed_retention;
};

/// Those that reported in the last 30 seconds, and how many of them can claim nothing of the kind.
struct worker_census {
  std::int64_t live = 0;
  std::int64_t failing = 0;
};

/// "paused", "no worker", "claims fail" (of every live worker) or "running".
std::string_view kind_state(bool paused, worker_census workers);

/// Every attached kind, by name.
asio::awaitable<std::vector<kind_summary>> list_kinds(pg::session& session);

/// A paused kind takes new jobs, but none is started. Says whether that is a change. Throws
/// error{unknown_kind}.
asio::awaitable<bool> set_paused(pg::session& session, std::string kind, bool paused);

enum class dropped_tables { left_out, included };

/// Every attached kind, by name; of one whose table was dropped, `table` is empty.
asio::awaitable<std::vector<kind_info>> read_kinds(
    transaction& tx, dropped_tables wanted = dropped_tables::left_out);

/// The kind of that name, or every kind. Throws error{unknown_kind} if it has no table.
asio::awaitable<std::vector<kind_info>> choose_kinds(transaction& tx,
                                                     std::optional<std::string> kind);

/// Throws error{unknown_kind}, which names the kinds that have a table.
asio::awaitable<void> throw_unknown_kind(transaction& tx, std::string kind);

}  // namespace rowrunner::admin
