#pragma once

#include <string>

#include "common/log.hpp"
#include "workloads/pdf_batch/enqueue.hpp"
#include "workloads/pdf_batch/pubsub_message.hpp"

namespace rowrunner::pdf_batch {

/// Enqueues a message of Pub/Sub, or keeps it in pdf_batch_rejected if it is no job. When it
/// returns, either is committed, and the message may be acknowledged. `source` is push or pull.
asio::awaitable<void> take_message(pg::session& session, const logger& log, std::string source,
                                   pubsub_message sent);

}  // namespace rowrunner::pdf_batch
