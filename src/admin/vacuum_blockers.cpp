#include "admin/vacuum_blockers.hpp"

#include "queries/engine.hpp"

namespace rowrunner::admin {

std::vector<vacuum_blocker> read_vacuum_blockers(const pg::result& rows) {
  std::vector<vacuum_blocker> blockers;
  for (int row = 0; row < rows.rows(); ++row) {
    std::vector<std::optional<std::string>> fields(static_cast<std::size_t>(rows.columns()));
    for (int column = 0; column < rows.columns(); ++column) {
      if (rows.is_null(row, column)) continue;
      fields[static_cast<std::size_t>(column)] = rows.get(row, column);
    }
    blockers.push_back(read_vacuum_blocker(fields));
  }
  return blockers;
}

asio::awaitable<std::vector<vacuum_blocker>> read_vacuum_blockers(transaction& tx) {
  co_return read_vacuum_blockers(co_await tx.run(queries::vacuum_blockers));
}

}  // namespace rowrunner::admin
