#include "admin/kinds.hpp"
#include "api/ask.hpp"
#include "api/routes.hpp"
#include "queries/api.hpp"

namespace rowrunner::api {
namespace {

using nlohmann::ordered_json;

constexpr int most_workers = 500;

ordered_json or_null(const std::optional<std::string>& text) {
  return text ? ordered_json(*text) : ordered_json();
}

ordered_json worker_json(const pg::result& rows, int row) {
  return {{"worker", rows.get(row, 0)},     {"kinds", ordered_json::parse(rows.get(row, 1))},
          {"version", rows.get(row, 2)},    {"started_at", rows.get(row, 3)},
          {"seen_at", rows.get(row, 4)},    {"alive", rows.get_bool(row, 5)},
          {"running", rows.get_int(row, 6)}};
}

}  // namespace

asio::awaitable<answer> show_overview(services& with, const request&) {
  const auto newest = co_await with.overview.get(with);
  co_return answer(200, newest->json);
}

asio::awaitable<answer> list_kinds(services& with, const request&) {
  const auto kinds = co_await with_session(with, admin::list_kinds);
  ordered_json items = ordered_json::array();
  for (const auto& each : kinds) {
    items.push_back({{"kind", each.kind},
                     {"table", or_null(each.table)},
                     {"state", each.state},
                     {"paused", each.paused},
                     {"workers", each.workers},
                     {"retention", or_null(each.retention)},
                     {"failed_retention", or_null(each.failed_retention)}});
  }
  co_return answer(200, ordered_json{{"items", items}});
}

asio::awaitable<answer> list_workers(services& with, const request&) {
  const auto mine = co_await borrow_session(with);
  const auto time = queries::server_time.statement();
  const auto workers = queries::workers_seen.statement();
  const auto rows = co_await (*mine).run(
      pg::together(pg::with(time), pg::with(workers, std::to_string(most_workers + 1))));
  ordered_json items = ordered_json::array();
  const bool complete = rows[1].rows() <= most_workers;
  for (int row = 0; row < std::min(rows[1].rows(), most_workers); ++row) {
    items.push_back(worker_json(rows[1], row));
  }
  co_return answer(
      200, ordered_json{{"as_of", rows[0].get(0, 0)}, {"items", items}, {"complete", complete}});
}

}  // namespace rowrunner::api
