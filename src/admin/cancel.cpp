#include "admin/cancel.hpp"

#include "admin/error.hpp"
#include "common/schema/job_status.hpp"
#include "queries/admin.hpp"

namespace rowrunner::admin {

asio::awaitable<std::vector<changed_job>> cancel_jobs(pg::session& session,
                                                      std::vector<std::string> ids,
                                                      std::optional<std::string> why, bool cascade,
                                                      std::optional<std::string> kind) {
  const job_change cancel = [&](transaction& tx,
                                const found_job& job) -> asio::awaitable<job_result> {
    const auto id = job.row.at("id").get<std::string>();
    const auto answer = co_await tx.run(queries::cancel, job.kind.kind, id, why, cascade);
    const std::string result = answer.is_null(0, 0) ? "gone" : std::string(answer.get(0, 0));
    // 'cancelled' is also what a job answers that was cancelled before, which is what was wanted.
    if (result != "cancelled" && result != "requested") {
      throw error(
          reason::wrong_status,
          "job " + id + " is " + result + " already: there is nothing to cancel; nothing was done");
    }
    job_result out{result, std::string(job_status::processing)};
    if (result == "cancelled") out.status = job.kind.cancelled_status;
    co_return out;
  };
  co_return co_await change_jobs(session, std::move(ids), std::move(kind), cancel);
}

}  // namespace rowrunner::admin
