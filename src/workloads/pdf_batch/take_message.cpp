#include "workloads/pdf_batch/take_message.hpp"

#include "common/errors.hpp"

namespace rowrunner::pdf_batch {

asio::awaitable<void> take_message(pg::session& session, const logger& log, std::string source,
                                   pubsub_message sent) {
  message given;
  std::string wrong = sent.wrong;
  try {
    if (wrong.empty()) given = parse_message(sent.data);
  } catch (const bad_input& error) {
    wrong = error.what();
  }
  if (wrong.empty()) {
    const auto result = co_await enqueue_for_anyone(session, given);
    if (result == enqueue_result::other_file) {
      wrong = "job " + given.job_id + " exists with another pdf_path";
    } else {
      log.info(result == enqueue_result::created ? "enqueued" : "the job exists already",
               {{"job_id", given.job_id}, {"message_id", sent.id}, {"source", source}});
    }
  }
  if (wrong.empty()) co_return;
  log.warn("a message is no job", {{"message_id", sent.id}, {"source", source}, {"reason", wrong}});
  co_await reject(session, source, sent.id, wrong, sent.data);
}

}  // namespace rowrunner::pdf_batch
