#include "support/jobs_database.hpp"

#include "common/pg/exec.hpp"

namespace rowrunner::testing {

namespace {

constexpr const char* schema = R"sql(
-- Not in the schema of the user's own name, which is the engine's here.
SET LOCAL search_path = public;
CREATE TABLE test_jobs (
  id uuid PRIMARY KEY DEFAULT rowrunner.new_id(),
  name text NOT NULL UNIQUE,
  action text NOT NULL DEFAULT 'ok',
  ms integer NOT NULL DEFAULT 0,
  times integer NOT NULL DEFAULT 0,
  status text NOT NULL DEFAULT 'queued'
    CHECK (status IN ('queued', 'processing', 'succeeded', 'failed', 'cancelled')),
  attempts integer NOT NULL DEFAULT 0,
  max_attempts integer NOT NULL DEFAULT 3,
  last_error text,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  locked_at timestamptz,
  locked_by text,
  lease bigint,
  priority smallint NOT NULL DEFAULT 0,
  run_at timestamptz NOT NULL DEFAULT now()
) WITH (fillfactor = 30);
SELECT rowrunner.attach('test_jobs', kind => 'test');

CREATE TABLE effects (name text NOT NULL, at timestamptz NOT NULL DEFAULT clock_timestamp());
CREATE TABLE step_effects (job_id uuid NOT NULL, step text NOT NULL);
CREATE TABLE history (
  n bigint GENERATED ALWAYS AS IDENTITY, job_id uuid, name text, before text, after text,
  old_lease bigint, new_lease bigint, attempts integer, at timestamptz NOT NULL DEFAULT clock_timestamp());

-- Also engine functions that run as another role change jobs.
GRANT INSERT ON history TO PUBLIC;
CREATE FUNCTION note_change() RETURNS trigger
LANGUAGE plpgsql SET search_path = public AS $$
BEGIN
  INSERT INTO history (job_id, name, before, after, old_lease, new_lease, attempts)
    VALUES (NEW.id, NEW.name, OLD.status, NEW.status, OLD.lease, NEW.lease, NEW.attempts);
  PERFORM pg_notify('test_changes', '');
  RETURN NULL;
END $$;
CREATE TRIGGER note_change AFTER UPDATE ON test_jobs FOR EACH ROW
  WHEN (OLD.status <> NEW.status) EXECUTE FUNCTION note_change();
)sql";

constexpr const char* invariants = R"sql(
CREATE VIEW violations (what) AS
SELECT 'I9: queued without an entry: ' || j.name FROM test_jobs j
WHERE j.status = 'queued' AND j.run_at < 'infinity'
  AND NOT EXISTS (SELECT FROM rowrunner.queue q JOIN rowrunner.kinds k ON k.id = q.kind AND k.kind = 'test'
                  WHERE q.job_id = j.id AND q.priority = j.priority)
  AND NOT EXISTS (SELECT FROM rowrunner.delayed d WHERE d.job_id = j.id AND d.run_at >= j.run_at)
UNION ALL
SELECT 'I9: processing without a lease: ' || j.name FROM test_jobs j
WHERE j.status = 'processing'
  AND NOT EXISTS (SELECT FROM rowrunner.leases l WHERE l.lease = j.lease AND j.id = ANY (l.job_ids))
UNION ALL
SELECT 'I5: more attempts than allowed: ' || name FROM test_jobs WHERE attempts > max_attempts
UNION ALL
SELECT 'I5: charged otherwise than noted: ' || j.name FROM test_jobs j
WHERE j.attempts > (SELECT count(*) FROM rowrunner.attempts a JOIN rowrunner.kinds k
                    ON k.id = a.kind AND k.kind = 'test' WHERE a.job_id = j.id)
UNION ALL
SELECT 'I2: succeeded more than once: ' || name FROM history WHERE after = 'succeeded'
GROUP BY name HAVING count(*) > 1
UNION ALL
SELECT 'I2: left succeeded: ' || name FROM history WHERE before = 'succeeded'
UNION ALL
SELECT 'I3: ended under another lease than its own: ' || name FROM history
WHERE after = 'succeeded' AND old_lease IS DISTINCT FROM new_lease
UNION ALL
SELECT 'I4: lease used for two claims of one job: ' || name FROM history WHERE after = 'processing'
GROUP BY name, new_lease HAVING count(*) > 1
UNION ALL
SELECT 'I6: effect of a job that did not succeed: ' || e.name FROM effects e
WHERE NOT EXISTS (SELECT FROM test_jobs j WHERE j.name = e.name AND j.status = 'succeeded')
UNION ALL
SELECT 'I6: ' || count(e.name) || ' effects instead of one: ' || j.name || ' ' ||
       (SELECT string_agg(h.before || '>' || h.after || ' ' || h.at::time, ', ' ORDER BY h.n)
        FROM history h WHERE h.name = j.name)
FROM test_jobs j LEFT JOIN effects e ON e.name = j.name
WHERE j.status = 'succeeded' GROUP BY j.name HAVING count(e.name) <> 1
UNION ALL
SELECT 'I6: effect without its step: ' || e.step FROM step_effects e
WHERE NOT EXISTS (SELECT FROM rowrunner.steps s WHERE s.job_id = e.job_id AND s.step = e.step)
UNION ALL
SELECT 'I6: ' || count(*) || ' effects instead of one: ' || e.step FROM step_effects e
GROUP BY e.job_id, e.step HAVING count(*) > 1
UNION ALL
SELECT 'a job that waits for others is not held: ' || j.name FROM test_jobs j
JOIN rowrunner.waits w ON w.child_id = j.id WHERE j.status <> 'queued' OR j.run_at < 'infinity'
UNION ALL
SELECT 'held for ever: ' || j.name FROM test_jobs j
WHERE j.status = 'queued' AND j.run_at = 'infinity'
  AND NOT EXISTS (SELECT FROM rowrunner.edges e JOIN rowrunner.waits w USING (child_kind, child_id)
                  WHERE e.child_id = j.id)
  AND NOT EXISTS (SELECT FROM rowrunner.join_candidates c JOIN rowrunner.waits w USING (child_kind, child_id)
                  WHERE c.child_id = j.id)
UNION ALL
SELECT 'its end released nothing: ' || j.name FROM test_jobs j
JOIN rowrunner.edges e ON e.parent_id = j.id JOIN rowrunner.waits w USING (child_kind, child_id)
WHERE (j.status = 'succeeded' OR (j.status NOT IN ('queued', 'processing') AND w.when_failed <> 'hold'))
  AND NOT EXISTS (SELECT FROM rowrunner.join_candidates c WHERE c.child_kind IS NULL AND c.parent_id = j.id)
UNION ALL
SELECT 'failed but not on the dead letter list: ' || j.name FROM test_jobs j
WHERE j.status = 'failed' AND NOT EXISTS (
  SELECT FROM rowrunner.failures f JOIN rowrunner.kinds k ON k.id = f.kind AND k.kind = 'test'
  WHERE f.job_id = j.id)
)sql";

}  // namespace

jobs_database::jobs_database() {
  exec(schema);
  exec(invariants);
}

std::string jobs_database::add(const std::string& name, const std::string& action, int ms,
                               int times, int max_attempts) {
  pqxx::work tx(connection());
  const auto answer = pg::exec(
      tx,
      "INSERT INTO test_jobs (name, action, ms, times, max_attempts) VALUES ($1, $2, $3, $4, $5)"
      " RETURNING id",
      name, action, ms, times, max_attempts);
  const auto id = answer[0][0].as<std::string>();
  tx.commit();
  return id;
}

std::string jobs_database::status(const std::string& name) {
  return value("SELECT status FROM test_jobs WHERE name = '" + name + "'");
}

std::vector<std::string> jobs_database::violations() {
  std::vector<std::string> found;
  const auto answer = rows("SELECT what FROM violations");
  for (const auto& row : answer) found.push_back(row[0].as<std::string>());
  return found;
}

}  // namespace rowrunner::testing
