-- Deletes finished jobs of kind $1 that are older than the kind's retention, among the $3 jobs that
-- follow id $2. It walks the primary key, because nothing that changes is indexed. Answers where it
-- stopped, how many it saw and how many it deleted. Jobs are asked for by their ids alone, as a list: by
-- its statistics a join might begin with all jobs of the table.
WITH seen AS MATERIALIZED (
  SELECT id FROM {jobs}
  WHERE id > $2::uuid
    AND (SELECT retention FROM rowrunner.kinds WHERE id = $1::smallint) IS NOT NULL
  ORDER BY id LIMIT $3::integer
), old AS MATERIALIZED (
  -- A row that somebody else holds is left for the next walk.
  SELECT j.id FROM {jobs} j
  WHERE j.id = ANY (ARRAY(SELECT id FROM seen)) AND j.status IN ('succeeded', 'failed', 'cancelled')
    AND j.updated_at < now() - (SELECT retention FROM rowrunner.kinds WHERE id = $1::smallint)
  FOR UPDATE OF j SKIP LOCKED
), gone AS (
  DELETE FROM {jobs} WHERE id = ANY (ARRAY(SELECT id FROM old)) RETURNING id
)
SELECT (SELECT id FROM seen ORDER BY id DESC LIMIT 1), (SELECT count(*) FROM seen),
       (SELECT count(*) FROM gone)
