#include "api/served_kind.hpp"

#include "queries/api.hpp"

namespace rowrunner::api {

std::string served_kind::fill_in(const query& statement) const {
  const auto or_null = [](const std::string& column) {
    return column.empty() ? std::string_view("NULL::text") : std::string_view(column);
  };
  return fill(statement.text, {{"jobs", table},
                               {"owner", or_null(owner)},
                               {"public_id", public_id.empty() ? "j.id::text" : public_id},
                               {"document", or_null(document)},
                               {"job_type", or_null(job_type)},
                               {"total_pages", or_null(total_pages)},
                               {"retry_count", or_null(retry_count)},
                               {"co_owner", or_null(co_owner)}});
}

std::vector<served_kind> served_kinds_of(const pg::result& rows) {
  std::vector<served_kind> out;
  for (int row = 0; row < rows.rows(); ++row) {
    served_kind one;
    one.id = static_cast<int>(rows.get_int(row, 0));
    one.kind = rows.get(row, 1);
    one.table = rows.get(row, 2);
    one.cancelled_status = rows.get(row, 3);
    one.owner = rows.get(row, 4);
    one.public_id = rows.get(row, 5);
    one.document = rows.get(row, 6);
    one.job_type = rows.get(row, 7);
    one.total_pages = rows.get(row, 8);
    one.retry_count = rows.get(row, 9);
    one.co_owner = rows.get(row, 10);
    out.push_back(std::move(one));
  }
  return out;
}

asio::awaitable<std::vector<served_kind>> read_served_kinds(admin::transaction& tx) {
  const auto rows = co_await tx.run(queries::served_kinds);
  co_return served_kinds_of(rows);
}

}  // namespace rowrunner::api
