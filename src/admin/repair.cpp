#include "admin/repair.hpp"

#include <nlohmann/json.hpp>

#include "queries/admin.hpp"

namespace rowrunner::admin {

asio::awaitable<repair_report> repair_kind(pg::session& session, std::string kind) {
  const auto write = [&](transaction& tx) { return tx.run(queries::repair, kind); };
  const auto answer = co_await in_transaction(session, write);
  repair_report out;
  out.queued = answer.get_int(0, 0);
  out.delayed = answer.get_int(0, 1);
  out.failed = answer.get_int(0, 2);
  out.lost = answer.get_int(0, 3);
  out.removed = answer.get_int(0, 4);
  out.problems = nlohmann::json::parse(answer.get(0, 5)).get<std::vector<std::string>>();
  co_return out;
}

}  // namespace rowrunner::admin
