-- Redis has what these notes of kind $1 tell of.
DELETE FROM rowrunner_mirror.changes c WHERE c.kind = $1::smallint AND c.seq = ANY ($2::bigint[])
