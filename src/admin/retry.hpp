#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "admin/job_change.hpp"

namespace rowrunner::admin {

/// Queues failed or cancelled jobs, of that kind or of any, again: all of them or none. The result
/// is "queued". Throws error{wrong_status} and what change_jobs throws.
asio::awaitable<std::vector<changed_job>> retry_jobs(
    pg::session& session, std::vector<std::string> ids,
    std::optional<std::string> kind = std::nullopt);

struct requeued_jobs {
  std::string kind;
  std::int64_t requeued = 0;
};

struct retried_failures {
  std::int64_t requeued = 0;
  /// In the order in which they were done; those after the limit was reached are missing.
  std::vector<requeued_jobs> kinds;
  bool of_several_kinds = false;
};

/// Queues up to `limit` failed jobs of a kind, or of all kinds, again, the oldest failure first;
/// those that a trigger of their table keeps failed do not count.
/// Each kind commits on its own, and after every 1,000 jobs that were refused, so that a long list
/// keeps no locks. Throws error{unknown_kind}
/// and error{job_locked}.
asio::awaitable<retried_failures> retry_failed(pg::session& session,
                                               std::optional<std::string> kind, std::int64_t limit);

}  // namespace rowrunner::admin
