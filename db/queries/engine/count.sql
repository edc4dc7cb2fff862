-- Adds to the counters of this minute, kind $1 and worker $2.
INSERT INTO rowrunner.counters
  (minute, kind, worker, claimed, succeeded, failed, retried, rescued, released, refused)
VALUES (date_trunc('minute', now()), $1::smallint, $2, $3::bigint, $4::bigint, $5::bigint, $6::bigint,
        $7::bigint, $8::bigint, $9::bigint)
ON CONFLICT (minute, kind, worker) DO UPDATE
SET claimed = counters.claimed + excluded.claimed, succeeded = counters.succeeded + excluded.succeeded,
    failed = counters.failed + excluded.failed, retried = counters.retried + excluded.retried,
    rescued = counters.rescued + excluded.rescued, released = counters.released + excluded.released,
    refused = counters.refused + excluded.refused
