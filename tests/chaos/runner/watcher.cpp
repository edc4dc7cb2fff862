#include "chaos/runner/watcher.hpp"

#include <algorithm>

namespace rowrunner::chaos {

using namespace std::chrono_literals;

namespace {

constexpr auto look_every = 1s;
/// It reads whole tables, which grow: it must not become the load that the run is about.
constexpr int rest_per_look = 10;
constexpr auto longest_rest = 5s;

/// I9 of a job table: queued jobs that no claim would find and that do not wait, processing ones
/// that no lease names.
std::string places_of(const std::string& table, const std::string& name) {
  return "SELECT 'I9', " + name + " FROM " + table +
         " j WHERE status = 'queued'"
         " AND NOT EXISTS (SELECT FROM rowrunner.queue q WHERE q.job_id = j.id"
         "                 AND q.priority = j.priority AND j.run_at <= clock_timestamp())"
         " AND NOT EXISTS (SELECT FROM rowrunner.delayed d WHERE d.job_id = j.id"
         "                 AND d.priority = j.priority AND d.run_at = j.run_at)"
         " AND NOT EXISTS (SELECT FROM rowrunner.waits w"
         "                 WHERE w.child_id = j.id AND j.run_at = 'infinity')"
         " UNION ALL SELECT 'I9', " +
         name + " FROM " + table +
         " j WHERE status = 'processing'"
         " AND NOT EXISTS (SELECT FROM rowrunner.leases l"
         "                 WHERE l.lease = j.lease AND j.id = ANY (l.job_ids))";
}

/// I9 of a child that waits for others: its own row holds it, and something will let it run.
const char* const held_children =
    " UNION ALL SELECT 'I9', coalesce(j.name, w.child_id::text)"
    " FROM rowrunner.waits w LEFT JOIN chaos_jobs j ON j.id = w.child_id"
    " WHERE (j.status = 'queued' AND j.run_at = 'infinity') IS NOT TRUE"
    " OR (w.at_latest IS NULL"
    "     AND NOT EXISTS (SELECT FROM rowrunner.edges e WHERE e.child_id = w.child_id)"
    "     AND NOT EXISTS (SELECT FROM rowrunner.join_candidates c WHERE c.child_id = w.child_id))";

std::string question() {
  return places_of("chaos_jobs", "name") + " UNION ALL " +
         places_of("chaos_blocking_jobs", "name") + " UNION ALL " +
         places_of("spot_image_jobs", "plan_id || '/' || spot_name") +
         // I8: the word of a spot follows its job; a picture is there when its job has succeeded.
         " UNION ALL SELECT 'I8', plan_id || '/' || spot_name"
         " FROM spots s JOIN spot_image_jobs j USING (plan_id, spot_name)"
         " WHERE s.image_status <> spot_image_status(j.status, j.attempts, j.max_attempts)"
         " OR (j.status = 'succeeded') <> (coalesce(s.image_url, '') <> '')" +
         held_children;
}

}  // namespace

watcher::watcher(const arena& ground, const history& record)
    : ground_(ground), record_(record), thread_([this] { watch(); }) {}

watcher::~watcher() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  stopped_.notify_all();
  thread_.join();
}

void watcher::rest(std::chrono::nanoseconds time) {
  std::unique_lock lock(mutex_);
  stopped_.wait_for(lock, std::clamp<std::chrono::nanoseconds>(time, look_every, longest_rest),
                    [this] { return stopping_.load(); });
}

void watcher::watch() {
  const auto asked = question();
  std::unique_ptr<pqxx::connection> connection;
  while (!stopping_) {
    const auto begun = std::chrono::steady_clock::now();
    try {
      if (!connection) connection = ground_.connect();
      pqxx::work tx(*connection);
      tx.exec("SET LOCAL lock_timeout = '500ms'");
      const auto found = tx.exec(asked);
      record_.note("watcher snapshot");
      for (const auto& row : found) {
        record_.note("watcher disagreement " + row[0].as<std::string>() + " " +
                     row[1].as<std::string>());
      }
    } catch (const pqxx::broken_connection&) {
      connection.reset();
    } catch (const pqxx::failure&) {
      // A table is locked just now.
    }
    rest(rest_per_look * (std::chrono::steady_clock::now() - begun));
  }
}

}  // namespace rowrunner::chaos
