-- Deletes finished jobs of kind $1 that are older than the kind's retention (for those that failed or
-- were cancelled: its failed_retention), among the $3 jobs that follow id $2. It walks the primary key,
-- because nothing that changes is indexed. Answers where it stopped, how many it saw and how many it
-- deleted. Jobs are asked for by their ids alone, as a list: by its statistics a join might begin with
-- all jobs of the table. A table that has only the name of the attached one is not touched.
WITH kept AS MATERIALIZED (
  SELECT now() - retention AS succeeded, now() - failed_retention AS failed
  FROM rowrunner.kinds
  WHERE id = $1::smallint AND job_table = {table}::regclass
    AND (retention IS NOT NULL OR failed_retention IS NOT NULL)
), seen AS MATERIALIZED (
  SELECT id FROM {jobs}
  WHERE id > $2::uuid AND EXISTS (SELECT FROM kept)
  ORDER BY id LIMIT $3::integer
), old AS MATERIALIZED (
  -- A row that another session holds is left for the next walk.
  SELECT j.id FROM {jobs} j
  WHERE j.id = ANY (ARRAY(SELECT id FROM seen))
    AND j.updated_at < CASE WHEN j.status = 'succeeded' THEN (SELECT succeeded FROM kept)
                            WHEN j.status IN ('failed', 'cancelled') THEN (SELECT failed FROM kept) END
  FOR UPDATE OF j SKIP LOCKED
), gone AS (
  DELETE FROM {jobs} WHERE id = ANY (ARRAY(SELECT id FROM old)) RETURNING id
)
SELECT (SELECT id FROM seen ORDER BY id DESC LIMIT 1), (SELECT count(*) FROM seen),
       (SELECT count(*) FROM gone)
