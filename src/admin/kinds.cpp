#include "admin/kinds.hpp"

#include <algorithm>
#include <map>

#include "common/text.hpp"
#include "queries/admin.hpp"
#include "queries/engine.hpp"

namespace rowrunner::admin {
namespace {

std::optional<std::string> unless_empty(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

asio::awaitable<std::map<std::string, worker_census>> live_workers(transaction& tx) {
  const auto rows = co_await tx.run(queries::live_workers);
  std::map<std::string, worker_census> out;
  for (int row = 0; row < rows.rows(); ++row) {
    out[std::string(rows.get(row, 0))] = {rows.get_int(row, 1), rows.get_int(row, 2)};
  }
  co_return out;
}

}  // namespace

std::string_view kind_state(bool paused, worker_census workers) {
  if (paused) return "paused";
  if (workers.live == 0) return "no worker";
  return workers.failing >= workers.live ? "claims fail" : "running";
}

asio::awaitable<std::vector<kind_info>> read_kinds(transaction& tx, dropped_tables wanted) {
  const auto rows = co_await tx.run(queries::kinds);
  std::vector<kind_info> out;
  for (int row = 0; row < rows.rows(); ++row) {
    auto info = read_kind_info(rows, row);
    if (info.table.empty() && wanted == dropped_tables::left_out) continue;
    out.push_back(std::move(info));
  }
  co_return out;
}

asio::awaitable<std::vector<kind_info>> choose_kinds(transaction& tx,
                                                     std::optional<std::string> kind) {
  auto kinds = co_await read_kinds(tx);
  if (!kind) co_return kinds;
  std::erase_if(kinds, [&](const kind_info& each) { return each.kind != *kind; });
  if (kinds.empty()) co_await throw_unknown_kind(tx, *kind);
  co_return kinds;
}

asio::awaitable<void> throw_unknown_kind(transaction& tx, std::string kind) {
  const auto kinds = co_await read_kinds(tx);
  std::string names;
  for (const auto& each : kinds) {
    names += (names.empty() ? "" : ", ") + each.kind;
  }
  throw error(reason::unknown_kind, "unknown kind '" + printable(kind, 100) +
                                        "'; attached kinds: " + (names.empty() ? "none" : names));
}

asio::awaitable<std::vector<kind_summary>> list_kinds(pg::session& session) {
  const auto read = [](transaction& tx) -> asio::awaitable<std::vector<kind_summary>> {
    const auto kinds = co_await read_kinds(tx, dropped_tables::included);
    auto workers = co_await live_workers(tx);
    std::vector<kind_summary> out;
    for (const auto& kind : kinds) {
      const auto live = workers[kind.kind];
      out.push_back({kind.kind, unless_empty(kind.table),
                     std::string(kind_state(kind.paused, live)), kind.paused, live.live,
                     kind.cancelled_status, unless_empty(kind.retention),
                     unless_empty(kind.failed_retention)});
    }
    co_return out;
  };
  co_return co_await in_transaction(session, read);
}

asio::awaitable<bool> set_paused(pg::session& session, std::string kind, bool paused) {
  const auto write = [&](transaction& tx) -> asio::awaitable<bool> {
    const auto before = co_await tx.run(queries::pause, kind, paused);
    if (before.rows() == 0) co_await throw_unknown_kind(tx, kind);
    co_return before.get_bool(0, 0) != paused;
  };
  co_return co_await in_transaction(session, write);
}

}  // namespace rowrunner::admin
