#include "admin/job_change.hpp"

#include "admin/error.hpp"
#include "admin/kinds.hpp"
#include "admin/wait_reason.hpp"

namespace rowrunner::admin {
namespace {

/// After a lock was not available: names the session that has it.
asio::awaitable<void> throw_job_locked(pg::session& session, found_job job) {
  const auto id = job.row.at("id").get<std::string>();
  const auto read = [&](transaction& tx) { return read_wait_facts(tx, job.kind, id); };
  const auto facts = co_await read_jobs(session, read);
  const auto refuse = [](reason why, const std::string& what) {
    return error(why, what + ": nothing was done; try again when its transaction has ended");
  };
  if (facts.table_lock) {
    throw refuse(reason::table_locked, "table " + job.kind.table + " of job " + id +
                                           " is locked by " + text_of(facts.table_lock));
  }
  const std::string which = facts.row_lock ? id : id + ", or one that waits for it,";
  throw refuse(reason::job_locked, "job " + which + " is locked by " + text_of(facts.row_lock));
}

}  // namespace

asio::awaitable<std::vector<changed_job>> change_jobs(pg::session& session,
                                                      std::vector<std::string> ids,
                                                      std::optional<std::string> kind,
                                                      job_change change) {
  found_job current;
  const auto write = [&](transaction& tx) -> asio::awaitable<std::vector<changed_job>> {
    co_await tx.run(queries::lock_timeout, patience);
    const auto kinds = co_await choose_kinds(tx, kind);
    std::vector<changed_job> out;
    for (const auto& id : ids) {
      current = found_job();  // until it is found, a lock in the way is that of a table
      current = co_await find_job(tx, kinds, id);
      auto now = co_await change(tx, current);
      out.push_back({id, current.kind.kind, std::move(now)});
    }
    co_return out;
  };
  std::exception_ptr failure;
  try {
    co_return co_await in_transaction(session, write);
  } catch (const pg::query_error& refused) {
    failure = std::current_exception();
    if (refused.sqlstate() != "55P03") std::rethrow_exception(failure);
  }
  if (current.row.is_null()) co_await throw_table_locked(session);
  co_await throw_job_locked(session, std::move(current));
  std::rethrow_exception(failure);
}

}  // namespace rowrunner::admin
