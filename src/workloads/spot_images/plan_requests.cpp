#include "workloads/spot_images/plan_requests.hpp"

#include "common/pg/array.hpp"
#include "queries/spot_images.hpp"

namespace rowrunner::spot_images {
namespace {

using admin::transaction;

std::optional<std::string> text_or_nothing(const pg::result& rows, int row, int column) {
  if (rows.is_null(row, column)) return std::nullopt;
  return std::string(rows.get(row, column));
}

int number_or_0(const pg::result& rows, int row, int column) {
  return rows.is_null(row, column) ? 0 : static_cast<int>(rows.get_int(row, column));
}

spot_state read_spot(const pg::result& rows, int row) {
  spot_state out;
  out.spot.name = rows.get(row, 0);
  out.spot.area = rows.get(row, 1);
  out.spot.description = rows.get(row, 2);
  out.spot.image_url = text_or_nothing(rows, row, 3);
  out.image_status = rows.get(row, 4);
  out.job_id = text_or_nothing(rows, row, 5);
  out.job_status = text_or_nothing(rows, row, 6);
  out.attempts = number_or_0(rows, row, 7);
  out.max_attempts = number_or_0(rows, row, 8);
  out.last_error = text_or_nothing(rows, row, 9);
  return out;
}

asio::awaitable<std::optional<plan_state>> read_state(transaction& tx, std::string plan_id) {
  const auto title = co_await tx.run(queries::plan_title, plan_id);
  if (title.rows() == 0) co_return std::nullopt;
  plan_state out;
  out.id = plan_id;
  out.title = title.get(0, 0);
  const auto rows = co_await tx.run(queries::plan_spots, plan_id);
  for (int row = 0; row < rows.rows(); ++row) out.spots.push_back(read_spot(rows, row));
  co_return out;
}

asio::awaitable<void> add_spots(transaction& tx, const plan& given) {
  std::vector<std::string> names, areas, descriptions;
  std::vector<std::optional<std::string>> urls;
  for (const auto& spot : given.spots) {
    names.push_back(spot.name);
    areas.push_back(spot.area);
    descriptions.push_back(spot.description);
    urls.push_back(spot.image_url);
  }
  co_await tx.run(queries::plan_spots_create, given.id, pg::array(names), pg::array(areas),
                  pg::array(descriptions), pg::array(urls));
}

}  // namespace

asio::awaitable<imported_plan> import_and_enqueue(pg::session& session, const plan& given) {
  const auto write = [&](transaction& tx) -> asio::awaitable<imported_plan> {
    imported_plan out;
    const auto created = co_await tx.run(queries::plan_create, given.id, given.title);
    if (created.rows() > 0) {
      co_await add_spots(tx, given);
    } else {
      out.result = import_result::unchanged;
      const auto stored = co_await read_state(tx, given.id);
      if (stored) out.difference = difference(given, *stored);
      if (!out.difference.empty()) co_return out;
    }
    const auto enqueued = co_await tx.run(queries::spot_jobs_enqueue, given.id);
    out.enqueued = static_cast<int>(enqueued.get_int(0, 2));
    co_return out;
  };
  co_return co_await admin::in_transaction(session, write);
}

asio::awaitable<std::optional<plan_state>> find_plan(pg::session& session, std::string plan_id) {
  const auto read = [&](transaction& tx) { return read_state(tx, plan_id); };
  co_return co_await admin::read_jobs(session, read);
}

}  // namespace rowrunner::spot_images
