-- As claim, for when a claim could not get the lock on a job that another session is changing:
-- such jobs keep their entry, all others are taken. One more lock per job, so it is not the rule. It
-- answers the last entry that was seen, so that the next claim starts behind those that stay.
WITH entry AS MATERIALIZED (
  SELECT ctid, priority, seq, job_id
  FROM rowrunner.queue
  WHERE kind = $1::smallint AND (priority, seq) > ($2::smallint, $3::bigint)
    AND NOT (SELECT CASE WHEN job_table = {table}::regclass THEN paused
                         ELSE rowrunner.refuse_table(id, {table}::regclass) END
             FROM rowrunner.kinds WHERE id = $1::smallint)
  ORDER BY kind, priority, seq
  LIMIT $4::integer
  FOR UPDATE SKIP LOCKED
), free AS MATERIALIZED (
  SELECT j.id FROM {jobs} j
  WHERE j.id = ANY (ARRAY(SELECT job_id FROM entry))
  FOR UPDATE SKIP LOCKED
), gone AS (
  DELETE FROM rowrunner.queue q
  WHERE q.ctid = ANY (ARRAY(
    SELECT p.ctid FROM entry p
    WHERE EXISTS (SELECT FROM free f WHERE f.id = p.job_id)
       OR NOT EXISTS (SELECT FROM {jobs} j WHERE j.id = p.job_id)))
), taken AS (
  UPDATE {jobs} j
  SET status = 'processing', lease = $5::bigint, locked_at = now(), locked_by = $6, updated_at = now()
  FROM entry p JOIN free f ON f.id = p.job_id
  WHERE j.id = p.job_id
    AND CASE WHEN j.status = 'queued' AND j.priority = p.priority THEN j.run_at <= clock_timestamp() END
  RETURNING p.priority AS entry_priority, p.seq AS entry_seq,
            CASE WHEN j.status = 'processing' AND j.lease = $5::bigint THEN j.id
                 ELSE rowrunner.refuse_claim(j.id) END AS id, j.attempts, j.max_attempts{columns}
), seen AS MATERIALIZED (
  SELECT count(*) AS n FROM entry
), batch AS MATERIALIZED (
  SELECT count(*) AS n, array_agg(id) AS ids FROM taken
), early AS (
  -- As in claim, of the jobs that are not locked.
  INSERT INTO rowrunner.delayed (kind, run_at, priority, job_id)
  SELECT $1::smallint,
         CASE WHEN j.run_at > now() THEN j.run_at
              ELSE rowrunner.pass_over($1::smallint, j.id, 'the UPDATE that takes the job changed no row') END,
         j.priority, j.id
  FROM entry p JOIN free f ON f.id = p.job_id JOIN {jobs} j ON j.id = p.job_id
  WHERE (SELECT n FROM seen) > (SELECT n FROM batch)
    AND CASE WHEN j.status = 'queued' AND j.priority = p.priority AND j.run_at < 'infinity'
             THEN j.id NOT IN (SELECT id FROM taken) END
), leased AS (
  INSERT INTO rowrunner.leases (lease, kind, worker, expires_at, job_ids)
  SELECT $5::bigint, $1::smallint, $6, now() + $7::bigint * interval '1 ms', ids FROM batch WHERE n > 0
)
SELECT s.n AS seen,
       (SELECT priority FROM entry ORDER BY priority DESC, seq DESC LIMIT 1) AS last_priority,
       (SELECT seq FROM entry ORDER BY priority DESC, seq DESC LIMIT 1) AS last_seq, t.*
FROM seen s LEFT JOIN taken t ON true
