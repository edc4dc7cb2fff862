-- One migration at a time; held until the transaction ends, so that it works behind a pooler too.
SELECT pg_advisory_xact_lock(8245937404367725938)
