#include "admin/cancel.hpp"

#include "admin/error.hpp"
#include "admin/job_details.hpp"
#include "admin/kinds.hpp"
#include "queries/admin.hpp"

namespace rowrunner::admin {
namespace {

asio::awaitable<changed_job> cancel_job(transaction& tx, const std::vector<kind_info>& kinds,
                                        std::string id, std::optional<std::string> why,
                                        bool cascade) {
  const auto found = co_await find_job(tx, kinds, id);
  const auto answer =
      co_await tx.run(queries::cancel, found.kind.kind, id, why, cascade ? "t" : "f");
  changed_job out{id, found.kind.kind, "gone"};
  if (!answer.is_null(0, 0)) out.result = answer.get(0, 0);
  // 'cancelled' is also what a job answers that was cancelled before, which is what was wanted.
  if (out.result != "cancelled" && out.result != "requested") {
    throw error(reason::wrong_status, "job " + id + " is " + out.result +
                                          " already: there is nothing to cancel; nothing was done");
  }
  co_return out;
}

}  // namespace

asio::awaitable<std::vector<changed_job>> cancel_jobs(pg::session& session,
                                                      std::vector<std::string> ids,
                                                      std::optional<std::string> why, bool cascade,
                                                      std::optional<std::string> kind) {
  const auto write = [&](transaction& tx) -> asio::awaitable<std::vector<changed_job>> {
    const auto kinds = co_await choose_kinds(tx, kind);
    std::vector<changed_job> out;
    out.reserve(ids.size());
    for (const auto& id : ids) out.push_back(co_await cancel_job(tx, kinds, id, why, cascade));
    co_return out;
  };
  co_return co_await in_transaction(session, write);
}

}  // namespace rowrunner::admin
