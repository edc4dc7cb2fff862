-- Cancels job $1 because of $2: 'cancelled', 'requested' of a running one, or the status in which it has ended.
SELECT rowrunner.cancel('document', $1::uuid, $2)
