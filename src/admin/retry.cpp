#include "admin/retry.hpp"

#include "admin/error.hpp"
#include "admin/job_details.hpp"
#include "admin/kinds.hpp"
#include "queries/engine.hpp"

namespace rowrunner::admin {
namespace {

asio::awaitable<changed_job> retry_job(transaction& tx, const std::vector<kind_info>& kinds,
                                       std::string id) {
  const auto found = co_await find_job(tx, kinds, id);
  const auto answer = co_await tx.run(queries::requeue, found.kind.kind, id);
  if (!answer.get_bool(0, 0)) {
    throw error(reason::wrong_status,
                "job " + id + " is " + found.row.at("status").get<std::string>() +
                    ": only failed and cancelled jobs can be retried; nothing was done");
  }
  changed_job out{id, found.kind.kind, "queued"};
  co_return out;
}

asio::awaitable<std::int64_t> requeue_failed(pg::session& session, std::string kind,
                                             std::int64_t limit) {
  const auto write = [&](transaction& tx) -> asio::awaitable<std::int64_t> {
    const auto answer = co_await tx.run(queries::requeue_failed, kind, limit);
    co_return answer.get_int(0, 0);
  };
  co_return co_await in_transaction(session, write);
}

}  // namespace

asio::awaitable<std::vector<changed_job>> retry_jobs(pg::session& session,
                                                     std::vector<std::string> ids,
                                                     std::optional<std::string> kind) {
  const auto write = [&](transaction& tx) -> asio::awaitable<std::vector<changed_job>> {
    const auto kinds = co_await choose_kinds(tx, kind);
    std::vector<changed_job> out;
    for (const auto& id : ids) out.push_back(co_await retry_job(tx, kinds, id));
    co_return out;
  };
  co_return co_await in_transaction(session, write);
}

asio::awaitable<retried_failures> retry_failed(pg::session& session,
                                               std::optional<std::string> kind,
                                               std::int64_t limit) {
  const auto read = [&](transaction& tx) { return choose_kinds(tx, kind); };
  const auto kinds = co_await in_transaction(session, read);
  retried_failures out;
  out.of_several_kinds = kinds.size() > 1;
  for (const auto& each : kinds) {
    if (out.requeued == limit) break;
    const auto count = co_await requeue_failed(session, each.kind, limit - out.requeued);
    out.kinds.push_back({each.kind, count});
    out.requeued += count;
  }
  co_return out;
}

}  // namespace rowrunner::admin
