#pragma once

#include <optional>
#include <pqxx/pqxx>
#include <string>
#include <string_view>

/// Enqueueing the pictures of travel plans, inside the transaction that saves the plan.
///
/// A place needs a picture if its image_url is empty and its image_status is not_started or failed.
/// A job that is queued, processing or succeeded is always left alone.
///
/// All but spot_images_or_nothing throw bad_input, with nothing written, for text that is no name
/// and for a plan that does not exist, and pqxx::sql_error for what the database refuses. The
/// permissions of rowrunner_app are enough.
namespace rowrunner::spot_images {

struct enqueue_answer {
  int enqueued = 0;
  /// Jobs that had failed and are queued again with attempts 0.
  int requeued = 0;
  /// Places for which there was nothing to do: they have a picture, or a job that is left alone.
  int skipped = 0;

  bool operator==(const enqueue_answer&) const = default;
};

/// Enqueues what a plan needs; the three numbers add up to its places.
enqueue_answer spot_images(pqxx::dbtransaction& tx, std::string_view plan_id);

/// What became of an attempt to enqueue: an answer, or the reason why there is none.
struct enqueue_attempt {
  std::optional<enqueue_answer> answer;
  std::string error;
};

/// The same, but whatever goes wrong leaves the caller's transaction as it was, so that a guide is
/// saved whether or not its pictures can be enqueued; missing() finds them later. Only a lost
/// connection throws, which loses the guide anyway.
enqueue_attempt spot_images_or_nothing(pqxx::dbtransaction& tx, std::string_view plan_id);

/// One job; if the place has one already, in whatever state, nothing happens. The place itself
/// need not exist yet.
void create_job(pqxx::dbtransaction& tx, std::string_view plan_id, std::string_view spot_name,
                int max_attempts = 3);

/// The sweep over all plans: enqueues places that need a picture and have no job. Failed jobs are
/// not taken up again: it runs from cron, and would pay for hopeless pictures for ever. They count
/// as skipped, with the places whose job waits.
enqueue_answer missing(pqxx::dbtransaction& tx);

}  // namespace rowrunner::spot_images
