#pragma once

#include <optional>
#include <string>

#include "admin/transaction.hpp"
#include "workloads/pdf_batch/message.hpp"

namespace rowrunner::pdf_batch {

namespace asio = boost::asio;

enum class enqueue_result {
  created,
  /// The same job_id, file and user: nothing was changed.
  exists,
  /// The job_id is that of another file.
  other_file,
  /// The job_id is that of another user's job.
  other_user,
};

/// One job for a message, however often it is sent. When it returns, the job is committed.
asio::awaitable<enqueue_result> enqueue(pg::session& session, message given,
                                        std::optional<std::string> user);

/// For messages that name no user: one that a user sent before is theirs, and is not enqueued
/// again.
asio::awaitable<enqueue_result> enqueue_for_anyone(pg::session& session, message given);

/// Keeps a message that is no job. `source` is push or pull.
asio::awaitable<void> reject(pg::session& session, std::string source, std::string message_id,
                             std::string reason, std::string data);

}  // namespace rowrunner::pdf_batch
