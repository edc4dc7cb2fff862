#include "admin/retry.hpp"

#include "admin/error.hpp"
#include "admin/kinds.hpp"
#include "common/schema/job_status.hpp"
#include "queries/engine.hpp"

namespace rowrunner::admin {
namespace {

asio::awaitable<std::int64_t> requeue_failed(pg::session& session, std::string kind,
                                             std::int64_t limit) {
  const auto write = [&](transaction& tx) -> asio::awaitable<std::int64_t> {
    co_await tx.run(queries::lock_timeout, patience);
    const auto answer = co_await tx.run(queries::requeue_failed, kind, limit);
    co_return answer.get_int(0, 0);
  };
  try {
    co_return co_await in_transaction(session, write);
  } catch (const pg::query_error& refused) {
    if (refused.sqlstate() != "55P03") throw;
  }
  throw error(reason::job_locked, "a failed job of kind " + kind +
                                      " is locked by another session: none of the kind was queued "
                                      "again; rowrunner jobs retry ID names the session");
}

/// A trigger of the job table may keep the row as it is.
std::string why_not(const std::string& id, const std::string& status) {
  const bool refused = status == job_status::failed || status == job_status::cancelled;
  return "job " + id + " is " + status +
         (refused ? ", and a trigger of its table refuses another retry"
                  : ": only failed and cancelled jobs can be retried") +
         "; nothing was done";
}

}  // namespace

asio::awaitable<std::vector<changed_job>> retry_jobs(pg::session& session,
                                                     std::vector<std::string> ids,
                                                     std::optional<std::string> kind) {
  const job_change requeue = [](transaction& tx,
                                const found_job& job) -> asio::awaitable<job_result> {
    const auto id = job.row.at("id").get<std::string>();
    const auto answer = co_await tx.run(queries::requeue, job.kind.kind, id);
    if (!answer.get_bool(0, 0)) {
      throw error(reason::wrong_status, why_not(id, job.row.at("status").get<std::string>()));
    }
    job_result queued{std::string(job_status::queued), std::string(job_status::queued)};
    co_return queued;
  };
  co_return co_await change_jobs(session, std::move(ids), std::move(kind), requeue);
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
