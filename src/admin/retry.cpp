#include "admin/retry.hpp"

#include "admin/error.hpp"
#include "admin/kinds.hpp"
#include "common/schema/job_status.hpp"
#include "queries/engine.hpp"

namespace rowrunner::admin {
namespace {

/// How far a walk over the failed jobs of a kind is.
struct retry_walk {
  std::int64_t requeued = 0;
  /// When it began, by the database's clock; nothing before the first step.
  std::optional<std::string> as_of;
  bool more = true;
};

/// One step is bounded, as a trigger of the table may refuse any number of jobs, and commits on its
/// own. False if another session has locked a job.
asio::awaitable<bool> retry_some(pg::session& session, std::string kind, std::int64_t limit,
                                 retry_walk& walk) {
  const auto write = [&](transaction& tx) -> asio::awaitable<retry_walk> {
    co_await tx.run(queries::lock_timeout, patience);
    const auto answer =
        co_await tx.run(queries::requeue_failed, kind, limit - walk.requeued, walk.as_of);
    retry_walk out;
    out.requeued = walk.requeued + answer.get_int(0, 0);
    out.more = answer.get_bool(0, 1);
    out.as_of = answer.get(0, 2);
    co_return out;
  };
  try {
    walk = co_await in_transaction(session, write);
    co_return true;
  } catch (const pg::query_error& refused) {
    if (refused.sqlstate() != "55P03") throw;
  }
  co_return false;
}

error job_is_locked(const std::string& kind, std::int64_t requeued) {
  const auto done = requeued == 0 ? "none" : "only " + std::to_string(requeued);
  return {reason::job_locked, "a failed job of kind " + kind + " is locked by another session: " +
                                  done + " of the kind " + (requeued > 1 ? "were" : "was") +
                                  " queued again; rowrunner jobs retry ID names the session"};
}

asio::awaitable<std::int64_t> requeue_failed(pg::session& session, std::string kind,
                                             std::int64_t limit) {
  retry_walk walk;
  while (walk.more) {
    if (co_await retry_some(session, kind, limit, walk)) continue;
    throw job_is_locked(kind, walk.requeued);
  }
  co_return walk.requeued;
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
