-- Makes the entries of kind $1 match its jobs again, and says how many it added and removed.
SELECT format('repaired: added %s queued, %s delayed, %s failed, %s lost; removed %s stale entries', r.queued,
              r.delayed, r.failed, r.lost, r.removed)
FROM rowrunner.repair($1) r
