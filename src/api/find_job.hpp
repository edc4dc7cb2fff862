#pragma once

#include <boost/asio/awaitable.hpp>
#include <functional>
#include <optional>
#include <string>

#include "api/access.hpp"
#include "api/job_state.hpp"

namespace rowrunner::api {

using job_test = std::function<bool(const job_state&)>;

/// The job that others know by this id: the column that attach was told, or its key in tables that
/// have none. Nothing if no kind has one. If several kinds have one, the first that passes the test
/// counts, otherwise the first. A kind that cannot be read, as its table is locked, makes it fail
/// only if no other kind has the job.
boost::asio::awaitable<std::optional<job_state>> find_by_public_id(pg::session& session,
                                                                   std::string id,
                                                                   job_test preferred);

/// Whether a job, or the document that it is about, belongs to the user. Throws
/// admin::error{no_such_job} and error{unknown_kind}.
boost::asio::awaitable<bool> belongs_to(pg::session& session, std::string user, job_key key);

/// Throws request_error (403) if the caller is a plain user and the job another's.
boost::asio::awaitable<void> require_own(pg::session& session, const identity& who, job_key key);

}  // namespace rowrunner::api
