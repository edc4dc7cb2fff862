-- The rows of another statement, and the version of what it saw; one row with the version alone if it has none.
--
-- The version is the number of transactions that had ended in the snapshot of this very statement. It grows with every
-- commit, so of two states of a job the one with the larger version is the newer, whichever process read them, in
-- whatever order. Transaction ids alone do not tell that, as they are not handed out in the order of the commits. The
-- number means something on one server and timeline only, so both come with it.
SELECT s.*, v.*
FROM (SELECT (SELECT c.system_identifier FROM pg_control_system() c) AS system,
             ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::integer AS timeline,
             pg_snapshot_xmax(t.snapshot)::text::bigint
             - (SELECT count(*) FROM pg_snapshot_xip(t.snapshot)) AS ended
      FROM (SELECT pg_current_snapshot() AS snapshot) t) v
LEFT JOIN ({rows}) s ON true
