#include "workloads/spot_images/enqueue.hpp"

#include "common/errors.hpp"
#include "common/pg/exec.hpp"
#include "common/schema/kind_info.hpp"
#include "queries/session.hpp"
#include "queries/spot_images.hpp"
#include "workloads/spot_images/names.hpp"

namespace rowrunner::spot_images {

enqueue_answer spot_images(pqxx::dbtransaction& tx, std::string_view plan_id) {
  const std::string id = checked_plan_id(plan_id);
  const auto added = pg::exec(tx, queries::spot_jobs_enqueue, id);
  if (!added[0][0].as<bool>()) throw bad_input("unknown plan '" + id + "'");
  const auto again = pg::exec(tx, queries::spot_jobs_requeue, id);
  enqueue_answer out;
  out.enqueued = added[0][2].as<int>();
  out.requeued = again[0][0].as<int>();
  out.skipped = added[0][1].as<int>() - out.enqueued - out.requeued;
  return out;
}

// The savepoint is written out, because with pqxx::subtransaction (6.4.5) the transaction was found
// aborted after an error inside, and the commit that followed rolled the guide back in silence.
enqueue_attempt spot_images_or_nothing(pqxx::dbtransaction& tx, std::string_view plan_id) {
  enqueue_attempt out;
  const auto run = [&](const query& what) {
    tx.exec(fill(what.text, {{"name", "rowrunner_spot_images"}}));
  };
  run(queries::savepoint);
  try {
    out.answer = spot_images(tx, plan_id);
  } catch (const pqxx::broken_connection&) {
    throw;
  } catch (const std::exception& error) {
    const std::string_view text = error.what();
    out.error = text.substr(0, text.find('\n'));
    run(queries::savepoint_undo);
  }
  run(queries::savepoint_release);
  return out;
}

void create_job(pqxx::dbtransaction& tx, std::string_view plan_id, std::string_view spot_name,
                int max_attempts) {
  const std::string id = checked_plan_id(plan_id);
  const std::string name = checked_spot_name(spot_name);
  if (max_attempts < 1) {
    throw bad_input("max_attempts " + std::to_string(max_attempts) + " is less than 1");
  }
  pg::exec(tx, queries::spot_job_create, id, name, max_attempts);
}

enqueue_answer missing(pqxx::dbtransaction& tx) {
  const auto swept = tx.exec(std::string(queries::spot_jobs_missing.text));
  enqueue_answer out;
  out.enqueued = swept[0][1].as<int>();
  out.skipped = swept[0][0].as<int>() - out.enqueued;
  return out;
}

}  // namespace rowrunner::spot_images
