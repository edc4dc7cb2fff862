#pragma once

#include <optional>
#include <string>
#include <vector>

#include "admin/job_change.hpp"

namespace rowrunner::admin {

/// Cancels jobs, of that kind or of any, that wait and asks running ones to stop: all of them or
/// none; with `cascade` also the jobs that wait for them. The result is "cancelled" or "requested";
/// the status of a cancelled job is "failed" where its table has no word for it. Throws
/// error{wrong_status} and what change_jobs throws.
asio::awaitable<std::vector<changed_job>> cancel_jobs(
    pg::session& session, std::vector<std::string> ids, std::optional<std::string> why,
    bool cascade, std::optional<std::string> kind = std::nullopt);

}  // namespace rowrunner::admin
