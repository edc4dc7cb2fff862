#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "admin/job_details.hpp"
#include "admin/transaction.hpp"

namespace rowrunner::admin {

/// For how long a change waits for the rows of jobs: workers hold them for milliseconds.
inline constexpr const char* patience = "2s";

/// What became of a job.
struct job_result {
  /// In words that are the same for all kinds.
  std::string what;
  /// The job's status now, as its table has it.
  std::string status;
};

struct changed_job {
  std::string id;
  std::string kind;
  job_result result;
};

using job_change = std::function<asio::awaitable<job_result>(transaction&, const found_job&)>;

/// Changes the jobs of these ids, of that kind or of any, all or none. Throws error{no_such_job},
/// error{unknown_kind}; error{job_locked} or error{table_locked}, with the session that has the
/// lock; and what `change` throws.
asio::awaitable<std::vector<changed_job>> change_jobs(pg::session& session,
                                                      std::vector<std::string> ids,
                                                      std::optional<std::string> kind,
                                                      job_change change);

}  // namespace rowrunner::admin
