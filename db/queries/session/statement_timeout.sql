-- How long the server works on each later statement of this transaction: $1, as '1s'.
SELECT set_config('statement_timeout', $1, true)
